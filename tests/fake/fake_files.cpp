#include "fake/fake_files.hpp"

#include <utility>

#include <fmt/format.h>

namespace spark::test {

Result<std::optional<std::string>> FakeFiles::read(const std::string& path) {
  if (auto readable = writes_.readable(path); !readable) {
    return std::unexpected(readable.error());
  }
  const auto found = files_.find(path);
  return found == files_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::optional<std::string>> FakeFiles::read_helpers(const std::string& path,
                                                           const std::string& user,
                                                           std::size_t most_bytes) {
  const auto what = fmt::format("read '{}'", path);
  if (links_.contains(path)) {
    return fail(ErrorCode::kInvalid,
                what + ": a symbolic link is on the way, and none is followed");
  }
  const auto owner = owners_.find(path);
  if (owner != owners_.end() && owner->second != user) {
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: others than {} could have written it: remove it", what, user));
  }
  auto text = read(path);
  if (text && *text && (*text)->size() > most_bytes) {
    return fail(ErrorCode::kSystem, fmt::format("{}: longer than {} KiB", what, most_bytes / 1024));
  }
  return text;
}

Result<std::vector<std::string>> FakeFiles::list(const std::string& path) {
  if (auto readable = writes_.readable(path); !readable) {
    return std::unexpected(readable.error());
  }
  const auto prefix = path + "/";
  std::vector<std::string> names;
  for (const auto& [file, text] : files_) {
    if (file.starts_with(prefix)) {
      auto name = file.substr(prefix.size(), file.find('/', prefix.size()) - prefix.size());
      if (names.empty() || names.back() != name) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

Result<> FakeFiles::write(const std::string& path, const std::string& text, unsigned /*mode*/) {
  const auto what = fmt::format("write '{}'", path);
  if (links_.contains(path)) {
    return fail(ErrorCode::kInvalid, what + ": it is a symbolic link, which is not replaced");
  }
  if (auto admitted = writes_.admit(what); !admitted) return admitted;
  put(path, text);
  writes_.record(FakePort::kFiles, what);
  return {};
}

Result<bool> FakeFiles::is_replaceable(const std::string& path) { return !links_.contains(path); }

Result<> FakeFiles::write_durably(const std::string& path, const std::string& text, unsigned mode) {
  return write(path, text, mode);
}

Result<UniqueFd> FakeFiles::hold_room(const std::string& /*path*/, std::size_t /*bytes*/) {
  return UniqueFd();
}

Result<> FakeFiles::remove(const std::string& path) {
  if (!files_.contains(path)) {
    return {};
  }
  const auto what = fmt::format("remove '{}'", path);
  if (auto admitted = writes_.admit(what); !admitted) return admitted;
  files_.erase(path);
  writes_.record(FakePort::kFiles, what);
  return {};
}

/// It is never killed.
Result<> FakeFiles::discard_unfinished(const std::string& /*path*/) { return {}; }

Result<> FakeFiles::rename(const std::string& from, const std::string& to) {
  const auto what = fmt::format("rename '{}' to '{}'", from, to);
  if (!files_.contains(from)) {
    return fail(ErrorCode::kNotFound, what + ": No such file or directory");
  }
  if (files_.contains(to)) {
    return fail(ErrorCode::kBusy, what + ": there is a file of that name");
  }
  if (auto admitted = writes_.admit(what); !admitted) return admitted;
  put(to, files_.at(from));
  files_.erase(from);
  writes_.record(FakePort::kFiles, what);
  return {};
}

Result<> FakeFiles::check_writers(const std::string& path) {
  return open_to_others_.contains(path)
             ? fail(ErrorCode::kInvalid, fmt::format("others can write into '{}'", path))
             : Result<>{};
}

Result<host::FileLock> FakeFiles::lock(const std::string& path) {
  if (const auto act = std::exchange(before_lock_, {})) act();
  if (!holder_.empty()) {
    return fail(ErrorCode::kBusy, fmt::format("lock '{}': held by {}", path, holder_));
  }
  return host::FileLock{};
}

}  // namespace spark::test
