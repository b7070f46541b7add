#include "helpers/git/store.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "host/process/own_file.hpp"

namespace spark::helpers {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUrlFile = "/of";
constexpr std::size_t kLongestUrl = 4096;

}  // namespace

StoreContents tidy_store(const std::string& store) {
  StoreContents contents;
  std::vector<fs::path> unfinished;
  std::error_code error;
  for (fs::recursive_directory_iterator at(store, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code passed;
    if (!at->is_regular_file(passed)) continue;
    const auto name = at->path().filename().string();
    if (name.starts_with("tmp_") || name.ends_with(".lock") || name.ends_with(".keep")) {
      unfinished.push_back(at->path());
      continue;
    }
    const auto size = at->file_size(passed);
    contents.bytes += passed ? 0 : size;
    if (name.ends_with(".pack")) contents.packs.insert(at->path());
  }
  for (const auto& path : unfinished) discard(path);
  return contents;
}

void keep_packs(const std::string& store, const std::set<fs::path>& known) {
  for (const auto& pack : tidy_store(store).packs) {
    if (known.contains(pack)) continue;
    // Its index first: git finds nothing in a pack without one.
    for (const auto* sort : {".idx", ".rev", ".promisor", ".pack"}) {
      discard(fs::path(pack).replace_extension(sort));
    }
  }
}

fs::file_time_type packs_time(const std::string& store) {
  std::error_code error;
  const auto time = fs::last_write_time(store + "/objects/pack", error);
  return error ? fs::file_time_type{} : time;
}

std::string url_of_store(const std::string& store) {
  return host::read_plain(store + kUrlFile, kLongestUrl).value_or(std::nullopt).value_or("");
}

Result<> note_url_of_store(const std::string& store, const std::string& url) {
  return host::replace_file(store + kUrlFile, url);
}

Result<> replace_store(const std::string& store, const std::string& fresh) {
  const auto what = fmt::format("rename '{}' to '{}'", fresh, store);
  const auto above = store.substr(0, store.rfind('/'));
  const UniqueFd folder(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // git syncs packs alone: a power cut must not leave half of it in place of a whole one.
  if (!folder.valid() || syncfs(folder.get()) != 0) return fail_errno(errno, what);
  if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, store.c_str(), RENAME_EXCHANGE) != 0) {
    // There is none yet, or the file system exchanges nothing.
    discard(store);
    if (std::rename(fresh.c_str(), store.c_str()) != 0) return fail_errno(errno, what);
  }
  // On disk before the former one goes.
  return fsync(folder.get()) == 0 ? Result<>{} : fail_errno(errno, what);
}

void discard(const fs::path& path) {
  std::error_code passed;
  fs::remove_all(path, passed);
}

}  // namespace spark::helpers
