#include "helpers/git/store.hpp"

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "helpers/git/object_reader.hpp"
#include "host/process/trusted_file.hpp"

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

std::string git_config(const config::SourceSpec& settings) {
  // bigFileThreshold: larger ones are hashed as they come, and take no memory. safe.directory: of a
  // file:// URL the repository is another user's.
  std::string text =
      R"([core]
  hooksPath = /dev/null
  fsmonitor = false
  symlinks = false
  bigFileThreshold = 1m
[protocol]
  allow = never
[protocol "https"]
  allow = always
[protocol "ssh"]
  allow = always
[protocol "file"]
  allow = always
[http]
  followRedirects = false
  lowSpeedLimit = 1000
  lowSpeedTime = 30
[credential]
  helper =
[transfer]
  fsckObjects = true
  bundleURI = false
[fetch]
  unpackLimit = 1
  recurseSubmodules = false
  writeCommitGraph = false
[gc]
  auto = 0
[maintenance]
  auto = false
[safe]
  directory = *
[ssh]
  variant = ssh
[gpg]
  program = /bin/false
)";
  // The other two are off: nothing but what was asked for may carry a fetch.
  const auto& url = settings.url.value;
  for (const std::string_view other : {"https", "ssh", "file"}) {
    if (!url.starts_with(other)) text += fmt::format("[protocol \"{}\"]\n  allow = never\n", other);
  }
  // A form of the language has seen to it that none of the two has a quote or a backslash.
  if (settings.ca) text += fmt::format("[http]\n  sslCAInfo = \"{}\"\n", settings.ca->value);
  if (settings.proxy) text += fmt::format("[http]\n  proxy = \"{}\"\n", settings.proxy->value);
  return text;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPackedRefs = std::size_t{16} * 1024 * 1024;

}  // namespace

std::map<std::string, std::string> read_refs(const std::string& repository,
                                             const std::string& folder, std::size_t most) {
  std::map<std::string, std::string> refs;
  const auto add = [&](std::string name, std::string_view id) {
    if (name.starts_with(folder) && is_object_id(id) && refs.size() <= most) {
      refs.insert_or_assign(std::move(name), std::string(id));
    }
  };
  // gitrepository-layout(5): a file of its own outranks the line of packed-refs.
  const auto packed = host::read_plain(repository + "/packed-refs", kLargestPackedRefs);
  const auto text = packed.value_or(std::nullopt).value_or("");
  for (const auto line : lines_of(text)) {
    const auto blank = line.find(' ');
    if (blank != std::string_view::npos) {
      add(std::string(line.substr(blank + 1)), line.substr(0, blank));
    }
  }
  std::error_code error;
  for (fs::recursive_directory_iterator at(fs::path(repository) / folder, error), end;
       !error && at != end && refs.size() <= most; at.increment(error)) {
    const auto name = at->path().string();
    constexpr std::size_t kLongest = 200;
    if (name.ends_with(".lock")) continue;
    const auto content = host::read_plain(name, kLongest).value_or(std::nullopt).value_or("");
    add(name.substr(repository.size() + 1),
        std::string_view(content).substr(0, content.find('\n')));
  }
  return refs;
}

}  // namespace spark::helpers
