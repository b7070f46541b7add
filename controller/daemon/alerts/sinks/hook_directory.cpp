#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/text.hpp"
#include "daemon/alerts/sinks/hooks.hpp"
#include "host/process/file_io.hpp"

namespace spark::daemon {
namespace {

bool others_may_write(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/// Backups of editors and packages (".x", "x~", "x.dpkg-old") are no hooks.
bool is_hook_name(std::string_view name) {
  return is_ascii_alnum(name.front()) && name.find(".dpkg-") == std::string_view::npos &&
         std::ranges::all_of(
             name, [](char c) { return is_ascii_alnum(c) || c == '.' || c == '-' || c == '_'; });
}

/// Each directory on the way: who can rename one puts another in its place. A sticky one, as /tmp,
/// lets nobody rename what is the owner's.
Result<> check_way(const std::string& directory, uid_t owner) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = directory.find('/', end + 1);
    const auto path = directory.substr(0, end);
    struct stat status{};
    if (lstat(path.c_str(), &status) != 0)
      return fail_errno(errno, fmt::format("look at '{}'", path));
    const bool is_last = end == std::string::npos;
    const bool is_open = others_may_write(status) && (is_last || (status.st_mode & S_ISVTX) == 0);
    const bool is_foreign = status.st_uid != owner && status.st_uid != 0;
    if (!S_ISDIR(status.st_mode) || is_open || is_foreign) {
      return fail(
          ErrorCode::kPermission,
          fmt::format("no hook of '{}' is run: '{}' must be a directory of root that nobody "
                      "else can write: chown root, chmod go-w",
                      directory, path));
    }
  }
  return {};
}

}  // namespace

Result<Hooks> hooks_in(const std::string& directory, uid_t owner) {
  auto way = directory;
  while (way.size() > 1 && way.ends_with('/')) way.pop_back();
  if (const auto safe = check_way(way, owner); !safe) {
    if (safe.error().code == ErrorCode::kNotFound) return Hooks{};
    return std::unexpected(safe.error());
  }
  Hooks hooks;
  for (const auto& name : host::names_in(way)) {
    if (!is_hook_name(name)) continue;
    const auto path = fmt::format("{}/{}", way, name);
    struct stat status{};
    if (lstat(path.c_str(), &status) != 0) continue;  // it went meanwhile
    if (S_ISREG(status.st_mode) && (status.st_mode & S_IXUSR) == 0) continue;
    if (!S_ISREG(status.st_mode)) {
      hooks.refused.push_back(fmt::format("'{}' is no regular file", path));
    } else if (status.st_uid != owner || others_may_write(status)) {
      hooks.refused.push_back(
          fmt::format("'{}' is not root's, or others can write it: chown root, chmod go-w", path));
    } else {
      hooks.paths.push_back(path);
    }
  }
  return hooks;
}

}  // namespace spark::daemon
