#include "host/process/own_file.hpp"

#include <cerrno>
#include <cstdio>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/moment.hpp"
#include "host/process/file_io.hpp"
#include "host/process/trusted_file.hpp"

namespace spark::host {
namespace {

/// Not valid: there is none.
Result<UniqueFd> open_plain(const std::string& path) {
  const auto what = fmt::format("open '{}'", path);
  // O_NONBLOCK: a FIFO that nobody writes would hang the open.
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file.valid() && errno != ENOENT) return fail_errno(errno, what);
  struct stat status{};
  if (file.valid() && (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))) {
    return fail(ErrorCode::kInvalid, fmt::format("'{}' is no regular file", path));
  }
  return file;
}

/// What a rename does not replace: a folder, whatever is in it. It stays for people to look at,
/// under a name that nobody has.
bool move_aside(const std::string& folder) {
  const auto aside = fmt::format("{}.in-the-way-{}", folder, now().boot.count());
  return std::rename(folder.c_str(), aside.c_str()) == 0;
}

}  // namespace

Result<std::optional<std::string>> read_plain(const std::string& path, std::size_t limit_bytes) {
  const auto file = open_plain(path);
  if (!file) return std::unexpected(file.error());
  if (!file->valid()) return std::nullopt;
  auto text = read_all(file->get(), limit_bytes, fmt::format("read '{}'", path));
  if (!text) return std::unexpected(text.error());
  return std::move(*text);
}

Result<std::string> read_of_root(const std::string& path, std::size_t limit_bytes) {
  const auto file = open_plain(path);
  if (!file) return std::unexpected(file.error());
  if (!file->valid()) return fail(ErrorCode::kNotFound, fmt::format("there is no '{}'", path));
  if (auto trusted = check_trust(file->get(), path, {}); !trusted) {
    return std::unexpected(trusted.error());
  }
  return read_all(file->get(), limit_bytes, fmt::format("read '{}'", path));
}

Result<> replace_file(const std::string& path, std::string_view text, mode_t mode) {
  const auto temporary = path + ".new";
  const auto what = fmt::format("write '{}'", path);
  // Of one that was killed.
  if (::unlink(temporary.c_str()) != 0 && errno == EISDIR && !move_aside(temporary)) {
    return fail_errno(errno, what);
  }
  {
    const UniqueFd file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file.valid()) return fail_errno(errno, what);
    if (auto written = write_all(file.get(), text, what); !written) return written;
    if (fchmod(file.get(), mode) != 0 || fsync(file.get()) != 0) return fail_errno(errno, what);
  }
  const auto replace = [&] { return std::rename(temporary.c_str(), path.c_str()) == 0; };
  if (!replace() && (errno != EISDIR || !move_aside(path) || !replace())) {
    return fail_errno(errno, what);
  }
  const auto directory = path.substr(0, path.rfind('/'));
  const UniqueFd folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || fsync(folder.get()) != 0) return fail_errno(errno, what);
  return {};
}

Result<> FileInPlace::write(std::string_view text) {
  struct stat status{};
  const bool is_there = file_.valid() && fstat(file_.get(), &status) == 0 && status.st_nlink > 0;
  if (!is_there) {
    if (auto made = replace_file(path_, text); !made) return made;
    file_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (pwrite(file_.get(), text.data(), text.size(), 0) == std::ssize(text)) return {};
  const auto error = errno;
  file_.reset();
  return fail_errno(error, fmt::format("write '{}'", path_));
}

void FileInPlace::remove() {
  file_.reset();
  static_cast<void>(::unlink(path_.c_str()));  // where there is none, nothing is left to do
}

}  // namespace spark::host
