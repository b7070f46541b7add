#include "host/linux/linux_files.hpp"

#include <cerrno>
#include <cstdio>
#include <ranges>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "host/file_lock.hpp"
#include "host/process/file_io.hpp"
#include "host/process/passwd.hpp"

namespace spark::host {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{1024} * 1024;
constexpr std::string_view kTemporarySuffix = ".spark-reconcile-new";
constexpr std::string_view kPrivateDirectory = "/var/lib/spark-reconcile";

/// On a directory that we made where others write too, for who removes the last file of it.
/// Directories of our own are made and removed by many processes at once: they stay.
constexpr const char* kMadeMark = "user.spark-reconcile.made";
constexpr std::string_view kMarkedBelow = "/etc/";

struct SplitPath {
  std::string directory;
  std::string name;
};

SplitPath split_path(const std::string& path) {
  const auto slash = path.rfind('/');
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

bool is_absent(int error) { return error == ENOENT || error == ENOTDIR; }

/// As fail_errno, with ELOOP in words of this folder: with RESOLVE_NO_SYMLINKS it is not a loop.
std::unexpected<Error> fail_open(int error, const std::string& what) {
  if (error == ELOOP) {
    return fail(ErrorCode::kInvalid,
                what + ": a symbolic link is on the way, and none is followed");
  }
  return fail_errno(error, what);
}

/// As fail_errno of a write, with what somebody can do about it. `directory`: where.
std::unexpected<Error> fail_to_hold(int error, const std::string& directory,
                                    const std::string& what) {
  if (error == EROFS) {
    return fail(ErrorCode::kSystem,
                fmt::format("{}: '{}' is on a read-only file system, as the kernel makes one after "
                            "an error of the disk: see `sudo journalctl -k -p err`",
                            what, directory));
  }
  if (error == ENOSPC || error == EDQUOT) {
    return fail(
        ErrorCode::kSystem,
        fmt::format("{0}: the file system of '{1}' is full: see `df -h {1}` and `df -i {1}`", what,
                    directory));
  }
  return fail_errno(error, what);
}

/// Where a file stands that neither we nor root can replace.
Result<> check_replaced(int directory, const std::string& name, const std::string& what) {
  struct statx status{};
  if (statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) != 0) return {};
  if ((status.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0) {
    return fail(ErrorCode::kInvalid,
                what + ": somebody made it immutable (chattr +i or +a): see `lsattr`");
  }
  if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) {
    return fail(ErrorCode::kInvalid, what + ": it is a mount point of its own, as in a container");
  }
  return {};
}

/// systemd masks a configuration file by a link to /dev/null: it reads as empty.
bool is_null_device(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

/// The temporary file of `replace`; hidden and without ".conf", so that no *.d directory reads it.
std::string temporary_name(const std::string& name) {
  return fmt::format(".{}{}", name, kTemporarySuffix);
}

/// Creates `name`, locked as long as it is open: that is how one who removes what killed writers
/// left knows that this writer lives. A file system without locks has none.
Result<UniqueFd> create_locked(int directory, const std::string& name, const std::string& what) {
  for (int tries = 0; tries < 3; ++tries) {
    // One that a killed process left behind is in the way of O_EXCL; its absence is the normal
    // case.
    static_cast<void>(unlinkat(directory, name.c_str(), 0));
    UniqueFd file(openat(directory, name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.valid()) return fail_errno(errno, what);
    static_cast<void>(flock(file.get(), LOCK_EX));
    struct stat status{};
    if (fstat(file.get(), &status) != 0) return fail_errno(errno, what);
    if (status.st_nlink != 0) return file;
    // It was taken for one that was left, before it was locked.
  }
  return fail(ErrorCode::kBusy, what + ": somebody removes it each time");
}

/// Creates `name` with that text, and with mode and owner of `like` where it is given.
Result<UniqueFd> write_new(int directory, const std::string& name, const std::string& text,
                           unsigned mode, const struct stat* like, bool on_disk,
                           const std::string& what) {
  auto created = create_locked(directory, name, what);
  if (!created) return created;
  const auto& file = *created;
  if (auto written = write_all(file.get(), text, what); !written) {
    return std::unexpected(written.error());
  }
  if (like != nullptr && fchown(file.get(), like->st_uid, like->st_gid) != 0) {
    return fail_errno(errno, what);
  }
  if (fchmod(file.get(), like != nullptr ? like->st_mode & 07777U : mode) != 0) {
    return fail_errno(errno, what);
  }
  if (on_disk && fsync(file.get()) != 0) return fail_errno(errno, what);
  return created;
}

/// Nobody is writing it.
bool was_left(int directory, const std::string& name) {
  const UniqueFd file(
      openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return !file.valid() || flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

}  // namespace

bool LinuxFiles::open_root() {
  if (!root_descriptor_.valid()) {
    root_descriptor_ = UniqueFd(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  return root_descriptor_.valid();
}

Result<> LinuxFiles::check_root() {
  return open_root() ? Result<>{} : fail_errno(errno, fmt::format("open the root '{}'", root_));
}

int LinuxFiles::open_below(const std::string& path, int flags, std::uint64_t resolve) {
  if (!open_root()) return -1;
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve;
  // glibc has no wrapper before 2.42.
  return static_cast<int>(
      syscall(SYS_openat2, root_descriptor_.get(), path.c_str(), &how, sizeof(how)));
}

Result<std::optional<std::string>> LinuxFiles::read(const std::string& path) {
  const auto what = fmt::format("read '{}'", path);
  // Without O_NONBLOCK the open of a FIFO would wait for a writer.
  const UniqueFd file(open_below(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0));
  if (!file.valid()) {
    if (is_absent(errno)) return std::nullopt;
    return errno == ELOOP ? fail(ErrorCode::kInvalid, what + ": links that lead to each other")
                          : fail_errno(errno, what);
  }
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return fail_errno(errno, what);
  if (is_null_device(status)) return "";
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kInvalid, what + ": not a regular file");
  return read_all(file.get(), kMostFileBytes, what);
}

bool LinuxFiles::is_of(const std::string& user, const struct stat& status) {
  if (status.st_uid == 0) return true;
  const auto passwd = read("/etc/passwd").value_or(std::nullopt).value_or("");
  const auto ids = user_ids(user, passwd);
  return ids && ids->user == status.st_uid;
}

Result<std::optional<std::string>> LinuxFiles::read_helpers(const std::string& path,
                                                            const std::string& user,
                                                            std::size_t most_bytes) {
  const auto what = fmt::format("read '{}'", path);
  const UniqueFd file(
      open_below(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, RESOLVE_NO_SYMLINKS));
  if (!file.valid()) {
    if (is_absent(errno)) return std::nullopt;
    return fail_open(errno, what);
  }
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return fail_errno(errno, what);
  // None: it was replaced since it was opened.
  if (!S_ISREG(status.st_mode) || status.st_nlink > 1) {
    return fail(ErrorCode::kInvalid, what + ": it is no regular file with one name: remove it");
  }
  if (!is_of(user, status) || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: others than {} could have written it: remove it", what, user));
  }
  return read_all(file.get(), most_bytes, what);
}

Result<std::vector<std::string>> LinuxFiles::list(const std::string& path) {
  const auto what = fmt::format("list '{}'", path);
  const UniqueFd directory(open_below(path, O_RDONLY | O_DIRECTORY, 0));
  if (!directory.valid()) {
    if (errno == ENOENT) return std::vector<std::string>{};
    return fail_errno(errno, what);
  }
  return list_names(directory.get(), what);
}

Result<UniqueFd> LinuxFiles::open_directory(const std::string& path, std::vector<UniqueFd>& changed,
                                            const std::string& what) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY;
  UniqueFd directory(open_below(path, kFlags, RESOLVE_NO_SYMLINKS));
  if (directory.valid() || errno != ENOENT || path == "/") {
    return directory.valid() ? Result<UniqueFd>(std::move(directory)) : fail_open(errno, what);
  }
  const auto [above, name] = split_path(path);
  auto parent = open_directory(above, changed, what);
  if (!parent) return std::unexpected(parent.error());
  const unsigned mode = path.starts_with(kPrivateDirectory) ? 0700 : 0755;
  const bool made = mkdirat(parent->get(), name.c_str(), mode) == 0;
  if (!made && errno != EEXIST) return fail_errno(errno, what);
  changed.push_back(std::move(*parent));
  directory = UniqueFd(open_below(path, kFlags, RESOLVE_NO_SYMLINKS));
  if (!directory.valid()) return fail_open(errno, what);
  if (made) {
    made_directories_.insert(path);
    // The umask of the user who applies by hand must not decide who can read the daemon's status.
    if (fchmod(directory.get(), mode) != 0) return fail_errno(errno, what);
    // Without marks the directory stays where another process removes its last file.
    if (path.starts_with(kMarkedBelow)) {
      static_cast<void>(fsetxattr(directory.get(), kMadeMark, "", 0, 0));
    }
  }
  return directory;
}

Result<> LinuxFiles::write(const std::string& path, const std::string& text, unsigned mode) {
  return replace(path, text, mode, Durability::kCached);
}

Result<> LinuxFiles::write_durably(const std::string& path, const std::string& text,
                                   unsigned mode) {
  return replace(path, text, mode, Durability::kOnDisk);
}

Result<> LinuxFiles::replace(const std::string& path, const std::string& text, unsigned mode,
                             Durability durability) {
  const auto what = fmt::format("write '{}'", path);
  const auto [above, name] = split_path(path);
  std::vector<UniqueFd> changed;
  auto directory = open_directory(above, changed, what);
  if (!directory) return std::unexpected(directory.error());

  struct stat old{};
  const bool exists = fstatat(directory->get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (!exists && errno != ENOENT) return fail_errno(errno, what);
  if (exists && !S_ISREG(old.st_mode)) {
    return fail(ErrorCode::kInvalid,
                what + (S_ISLNK(old.st_mode) ? ": it is a symbolic link, which is not replaced"
                                             : ": it is not a regular file"));
  }
  const auto removed = removed_.find(path);
  const auto* const like = exists ? &old : removed != removed_.end() ? &removed->second : nullptr;
  const auto temporary = temporary_name(name);
  auto written = write_new(directory->get(), temporary, text, mode, like,
                           durability == Durability::kOnDisk, what);
  if (written &&
      renameat(directory->get(), temporary.c_str(), directory->get(), name.c_str()) != 0) {
    written = fail_errno(errno, what);
  }
  if (!written) {
    // What matters is told by `written`; a temporary file left behind is removed by the next write.
    static_cast<void>(unlinkat(directory->get(), temporary.c_str(), 0));
    return std::unexpected(written.error());
  }
  if (durability == Durability::kOnDisk) {
    // All at the end: the first one has a journalling file system write them together.
    changed.push_back(std::move(*directory));
    for (const auto& entry : std::views::reverse(changed)) {
      if (fsync(entry.get()) != 0) return fail_errno(errno, what);
    }
  }
  return {};
}

Result<bool> LinuxFiles::is_replaceable(const std::string& path) {
  const auto what = fmt::format("look at '{}'", path);
  const auto [above, name] = split_path(path);
  const UniqueFd directory(open_below(above, O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  struct stat status{};
  if (directory.valid() &&
      fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    return S_ISREG(status.st_mode);
  }
  if (errno == ENOENT) return true;
  return errno == ELOOP || errno == ENOTDIR ? Result<bool>(false) : fail_errno(errno, what);
}

Result<> LinuxFiles::remove(const std::string& path) {
  const auto what = fmt::format("remove '{}'", path);
  const auto [above, name] = split_path(path);
  const UniqueFd directory(open_below(above, O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  if (!directory.valid()) return is_absent(errno) ? Result<>{} : fail_open(errno, what);
  struct stat old{};
  const bool exists = fstatat(directory.get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (unlinkat(directory.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, what);
  }
  if (exists && S_ISREG(old.st_mode)) removed_.insert_or_assign(path, old);
  remove_made_directories(above);
  return {};
}

Result<> LinuxFiles::remove_durably(const std::string& path) {
  const auto what = fmt::format("remove '{}'", path);
  const UniqueFd directory(
      open_below(split_path(path).directory, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  if (!directory.valid()) return is_absent(errno) ? Result<>{} : fail_open(errno, what);
  if (auto removed = remove(path); !removed) return removed;
  return fsync(directory.get()) == 0 ? Result<>{} : fail_errno(errno, what);
}

Result<> LinuxFiles::discard_unfinished(const std::string& path) {
  // Only what is there is removed: a converged apply asks the kernel for no change at all.
  const auto discard = [this](const std::string& directory, auto is_unfinished) -> Result<> {
    for (const auto& entry : list(directory).value_or(std::vector<std::string>{})) {
      if (!is_unfinished(entry)) continue;
      const UniqueFd above(open_below(directory, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
      if (above.valid() && !was_left(above.get(), entry)) continue;
      if (auto removed = remove(fmt::format("{}/{}", directory == "/" ? "" : directory, entry));
          !removed) {
        return removed;
      }
    }
    return {};
  };
  const auto [above, name] = split_path(path);
  const auto own = temporary_name(name);
  auto discarded = discard(above, [&](const std::string& entry) { return entry == own; });
  if (!discarded) return discarded;
  return discard(path, [](const std::string& entry) {
    return entry.starts_with('.') && entry.ends_with(kTemporarySuffix);
  });
}

Result<UniqueFd> LinuxFiles::hold_room(const std::string& path, std::size_t bytes) {
  const auto what = fmt::format("write '{}'", path);
  auto [above, name] = split_path(path);
  const auto open_above = [&] {
    return UniqueFd(open_below(above, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  };
  auto directory = open_above();
  while (!directory.valid() && errno == ENOENT && above != "/") {
    auto next = split_path(above);
    above = std::move(next.directory);
    name = std::move(next.name);
    directory = open_above();
  }
  if (!directory.valid()) return fail_open(errno, what);
  if (auto replaced = check_replaced(directory.get(), name, what); !replaced) {
    return std::unexpected(replaced.error());
  }
  UniqueFd room(openat(directory.get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  const bool knows_unnamed = room.valid() || (errno != EOPNOTSUPP && errno != EISDIR);
  if (!knows_unnamed && faccessat(directory.get(), ".", W_OK, 0) == 0) return room;
  if (!room.valid()) return fail_to_hold(errno, above, what);
  const bool held = fallocate(room.get(), 0, 0, static_cast<off_t>(bytes)) == 0;
  if (!held && errno != EOPNOTSUPP) return fail_to_hold(errno, above, what);
  return room;
}

Result<> LinuxFiles::rename(const std::string& from, const std::string& to) {
  const auto what = fmt::format("rename '{}' to '{}'", from, to);
  const auto [above, name] = split_path(from);
  const auto [above_to, name_to] = split_path(to);
  if (above != above_to) return fail(ErrorCode::kInvalid, what + ": not in one directory");
  const UniqueFd directory(open_below(above, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  if (!directory.valid()) return fail_open(errno, what);
  if (renameat2(directory.get(), name.c_str(), directory.get(), name_to.c_str(),
                RENAME_NOREPLACE) != 0) {
    return errno == EEXIST ? fail(ErrorCode::kBusy, what + ": there is a file of that name")
                           : fail_errno(errno, what);
  }
  return fsync(directory.get()) == 0 ? Result<>{} : fail_errno(errno, what);
}

bool LinuxFiles::was_made(const std::string& path) {
  if (made_directories_.contains(path)) return true;
  if (!path.starts_with(kMarkedBelow)) return false;
  const UniqueFd directory(open_below(path, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  return directory.valid() && fgetxattr(directory.get(), kMadeMark, nullptr, 0) >= 0;
}

void LinuxFiles::remove_made_directories(std::string path) {
  while (was_made(path)) {
    const auto [above, name] = split_path(path);
    const UniqueFd parent(open_below(above, O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
    // One that someone has put something into meanwhile stays.
    if (!parent.valid() || unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) != 0) return;
    made_directories_.erase(path);
    path = above;
  }
}

Result<> LinuxFiles::check_writers(const std::string& path) {
  const UniqueFd directory(open_below(path, O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  if (!directory.valid()) {
    return errno == ENOENT ? Result<>{} : fail_open(errno, fmt::format("open '{}'", path));
  }
  struct stat status{};
  if (fstat(directory.get(), &status) != 0) {
    return fail_errno(errno, fmt::format("stat '{}'", path));
  }
  const bool others_may = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const bool is_others = status.st_uid != 0 && status.st_uid != geteuid();
  if (!others_may && !is_others) return {};
  return fail(ErrorCode::kInvalid,
              fmt::format("others than root can write into '{0}' ({1}): what lies there is done as "
                          "root. See that it is as you left it, then `{2} {0}`",
                          path,
                          is_others ? fmt::format("it belongs to user {}", status.st_uid)
                                    : fmt::format("its mode is {:04o}", status.st_mode & 07777U),
                          is_others ? "chown root" : "chmod go-w"));
}

Result<FileLock> LinuxFiles::lock(const std::string& path) {
  const auto what = fmt::format("lock '{}'", path);
  const auto [above, name] = split_path(path);
  std::vector<UniqueFd> changed;
  const auto directory = open_directory(above, changed, what);
  if (!directory) return std::unexpected(directory.error());
  UniqueFd file(openat(directory->get(), name.c_str(),
                       O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kLockMode));
  if (!file.valid()) return fail_open(errno, what);
  return take_lock(std::move(file), what);
}

}  // namespace spark::host
