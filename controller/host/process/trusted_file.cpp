#include "host/process/trusted_file.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "host/process/file_io.hpp"

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

std::optional<FileStamp> file_stamp(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return FileStamp{.device = status.st_dev,
                   .inode = status.st_ino,
                   .size = status.st_size,
                   .changed_ns = (status.st_ctim.tv_sec * kSecond) + status.st_ctim.tv_nsec};
}

namespace {

/// The group that a user has for itself: its first one, of the same name (useradd(8), -U).
bool is_own_group(const struct stat& status) {
  const auto* user = getpwuid(status.st_uid);
  if (user == nullptr || user->pw_gid != status.st_gid) return false;
  const std::string name = user->pw_name;
  const auto* group = getgrgid(status.st_gid);
  return group != nullptr && name == group->gr_name &&
         (*group->gr_mem == nullptr || (*group->gr_mem == name && group->gr_mem[1] == nullptr));
}

/// Judges one file or directory by what fstat(2) says of it.
Result<> judge(const struct stat& status, const std::string& path, const Trust& trust) {
  const auto refused = [&](std::string_view why, std::string_view command) {
    return fail(ErrorCode::kInvalid,
                fmt::format("{0} {1}, and what {4} would be done as root. See that it is as "
                            "you left it, then `{2} {3}`",
                            in_quotes(path), why, command, printable(path),
                            S_ISDIR(status.st_mode) ? "lies there" : "it says"));
  };
  if (status.st_uid != 0 && !trust.owners.contains(status.st_uid)) {
    return refused(fmt::format("belongs to user {}", status.st_uid), "chown root");
  }
  // In a sticky directory, as /tmp, nobody renames what is another's.
  const bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if (is_sticky) return {};
  if ((status.st_mode & S_IWOTH) != 0) return refused("can be written by everybody", "chmod o-w");
  if ((status.st_mode & S_IWGRP) != 0 && !(trust.own_group && is_own_group(status))) {
    return refused(fmt::format("can be written by group {}", status.st_gid), "chmod g-w");
  }
  return {};
}

/// Where an open file or directory is. A file that was removed meanwhile is where nothing is found.
std::string place_of(int file) { return link_target(fmt::format("/proc/self/fd/{}", file)); }

/// Judges each directory from `top` to `path`, both without links, and returns the last. Each is
/// opened in the one before, so that nobody exchanges one unseen.
Result<UniqueFd> walk(const std::string& top, std::string_view path, const Trust& trust) {
  UniqueFd at(::open(top.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  std::string here = top == "/" ? "" : top;
  path.remove_prefix(here.size());
  while (true) {
    const auto shown = here.empty() ? "/" : here;
    struct stat status{};
    if (!at.valid() || fstat(at.get(), &status) != 0) {
      return fail_errno(errno, fmt::format("look at '{}'", shown));
    }
    if (auto judged = judge(status, shown, trust); !judged) return std::unexpected(judged.error());
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    if (path.empty()) return at;
    const std::string name(path.substr(0, path.find('/')));
    path.remove_prefix(name.size());
    here += "/" + name;
    at = UniqueFd(openat(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool is_below(const std::string& top, const std::string& path) {
  return top == "/" || path == top || path.starts_with(top + "/");
}

std::string below(const std::string& top, const std::string& name) {
  return top == "/" ? name : top + name;
}

/// Somebody has the file open for writing. False too where the file system cannot tell.
bool is_being_written(int file) {
  // fcntl(2): a read lease is given only while nobody has the file open for writing. A process that
  // opens the file while the lease is held waits, and this process gets a signal: SIGIO would end
  // it, SIGURG is ignored unless somebody asks for it.
  if (fcntl(file, F_SETSIG, SIGURG) != 0 || fcntl(file, F_SETLEASE, F_RDLCK) != 0) {
    return errno == EAGAIN;
  }
  static_cast<void>(fcntl(file, F_SETLEASE, F_UNLCK));  // closing the file would do it too
  return false;
}

}  // namespace

Result<> check_trust(int file, const std::string& name, const Trust& trust,
                     const std::string& top) {
  struct stat status{};
  if (fstat(file, &status) != 0) return fail_errno(errno, fmt::format("stat '{}'", name));
  if (auto judged = judge(status, name, trust); !judged) return judged;

  const UniqueFd root(::open(top.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto real_top = place_of(root.get());
  const UniqueFd named(
      ::open(directory_of(below(top, name)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto file_place = place_of(file);
  const auto directory = directory_of(file_place);
  for (const auto& path : {place_of(named.get()), directory}) {
    // What a link below another root leads to outside of it is judged from the top.
    auto last = walk(is_below(real_top, path) ? real_top : "/", path, trust);
    if (!last) return std::unexpected(last.error());
    if (path != directory) continue;
    struct stat same{};
    const auto base = file_place.substr(file_place.rfind('/') + 1);
    if (fstatat(last->get(), base.c_str(), &same, AT_SYMLINK_NOFOLLOW) != 0 ||
        same.st_dev != status.st_dev || same.st_ino != status.st_ino) {
      return fail(ErrorCode::kBusy, fmt::format("'{}' was replaced meanwhile: try again", name));
    }
  }
  return {};
}

Result<> check_takeable(const std::string& top, const std::string& name) {
  // Without O_NONBLOCK the open of a FIFO would wait for a writer.
  const UniqueFd file(
      ::open(below(top, name).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) {
    return errno == ENOENT || errno == ENOTDIR ? Result<>{}
                                               : fail_errno(errno, fmt::format("open '{}'", name));
  }
  if (is_being_written(file.get())) {
    return fail(ErrorCode::kBusy, fmt::format("'{}' is being written", name));
  }
  return check_trust(file.get(), name, {}, top);
}

}  // namespace spark::host
