#pragma once
// Files: the files below /etc, /usr, /var and /run that this program reads and writes, under one
// root.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {

/// A lock that is held until this is destroyed.
struct FileLock {
  UniqueFd fd;
};

/// Paths are absolute as on the running system; the root is put before them, and nothing leads out
/// of it. `read` and `list` follow symbolic links (/etc/sysctl.d/99-sysctl.conf is one);
/// `read_helpers` and functions that change files follow none.
class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  virtual ~Files() = default;

  /// The whole file, at most 1 MiB. Empty optional: there is none. A link to /dev/null, which masks
  /// a file for systemd, reads as empty text. Errors: kInvalid when it is no regular file, or only
  /// links to each other.
  virtual Result<std::optional<std::string>> read(const std::string& path) = 0;
  /// The same of a file that a helper wrote, which runs as `user` and may have been taken over: at
  /// most `most_bytes` of a regular file with one name, which root or that user owns and nobody
  /// else can write, and no link is followed to it. All of it is judged by the descriptor that is
  /// read. Errors: kInvalid when it is anything else. No message holds a byte of the file.
  virtual Result<std::optional<std::string>> read_helpers(const std::string& path,
                                                          const std::string& user,
                                                          std::size_t most_bytes) = 0;
  /// Names in a directory, sorted; an absent directory has none.
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;

  /// Replaces (or makes) the file in one rename. An existing file keeps its mode and owner, a new
  /// one gets `mode`; missing directories are made (0755, from /var/lib/spark-reconcile on 0700).
  /// Errors: kInvalid when it is a symbolic link or no regular file.
  virtual Result<> write(const std::string& path, const std::string& text, unsigned mode) = 0;
  /// The same, and the file is on disk (fsync of the file and its directory) when this returns.
  virtual Result<> write_durably(const std::string& path, const std::string& text,
                                 unsigned mode) = 0;
  /// `write` could put a file there: neither it nor a directory on the way is a symbolic link, and
  /// it is a regular file or absent. Says nothing about rights.
  virtual Result<bool> is_replaceable(const std::string& path) = 0;
  /// Removing what is not there is fine. Directories that `write` made for it go too, once they are
  /// empty; those of /etc also where another process made them, if their file system keeps marks.
  virtual Result<> remove(const std::string& path) = 0;
  /// The same, and no power cut brings the file back (fsync of its directory) once this returned.
  virtual Result<> remove_durably(const std::string& path) = 0;
  /// Removes what a `write` that was killed left of that file, or of any file in that directory.
  virtual Result<> discard_unfinished(const std::string& path) = 0;
  /// Holds that much room where `path` is, or would be, as long as the descriptor is open; nobody
  /// sees it. So what could not be written or removed there is known before anything is changed.
  /// Errors, with what to do: a file system that is full or read-only, a file that is immutable or
  /// a mount point. A file system that cannot hold room for nobody's file only says whether it can
  /// be written.
  virtual Result<UniqueFd> hold_room(const std::string& path, std::size_t bytes) = 0;
  /// Gives a file another name in the same directory; mode, owner and contents stay.
  /// Errors: kNotFound; kBusy when there is something of that name, which stays.
  virtual Result<> rename(const std::string& from, const std::string& to) = 0;
  /// Checks that only root and the user who runs this may write into the directory, as far as its
  /// own owner and mode tell. An absent directory is fine. Errors: kInvalid, with the directory and
  /// what to do.
  virtual Result<> check_writers(const std::string& path) = 0;
  /// Takes the lock file (flock) without waiting and writes this process's id into it.
  /// Errors: kBusy, naming the process that holds it.
  virtual Result<FileLock> lock(const std::string& path) = 0;
};

}  // namespace spark::host
