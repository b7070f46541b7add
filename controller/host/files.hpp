#pragma once
// Files: the files below /etc, /usr, /var and /run that this program reads and writes, under one
// root.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark {

/// A lock that is held until this is destroyed.
struct FileLock {
  UniqueFd fd;
};

/// Paths are absolute as on the running system; the root is put before them. No symbolic link is
/// followed below the root (openat2 RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS), except by `read` and
/// `list` in system directories that are links on merged-usr hosts.
class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  virtual ~Files() = default;

  /// The whole file, at most 1 MiB. Empty optional: there is none.
  virtual Result<std::optional<std::string>> read(const std::string& path) = 0;
  /// Names in a directory, sorted; an absent directory has none.
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;

  /// Replaces (or makes) the file in one rename. An existing file keeps its mode and owner, a new
  /// one gets `mode`; missing directories are made (0755, below /var/lib/spark-reconcile 0700).
  virtual Result<> write(const std::string& path, const std::string& text, unsigned mode) = 0;
  /// Likewise, and on disk (fsync of the file and its directory) when it returns.
  virtual Result<> write_durably(const std::string& path, const std::string& text,
                                 unsigned mode) = 0;
  /// Removing what is not there is fine.
  virtual Result<> remove(const std::string& path) = 0;
  /// Takes the lock file (flock) without waiting and writes this process's id into it.
  /// Errors: kBusy, naming the process that holds it.
  virtual Result<FileLock> lock(const std::string& path) = 0;
};

}  // namespace spark
