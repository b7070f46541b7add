#pragma once
// LinuxFiles: the Files port on the file system of this machine, below a root directory.

#include <map>
#include <set>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "host/files.hpp"

namespace spark::host {

class LinuxFiles : public Files {
 public:
  /// `root` is "/" but for tests and images; it is opened when first needed.
  explicit LinuxFiles(std::string root = "/") : root_(std::move(root)) {}

  /// Errors: kNotFound, kPermission, … when there is no such root directory.
  Result<> check_root();

  Result<std::optional<std::string>> read(const std::string& path) override;
  Result<std::optional<std::string>> read_helpers(const std::string& path, const std::string& user,
                                                  std::size_t most_bytes) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Result<> write(const std::string& path, const std::string& text, unsigned mode) override;
  Result<> write_durably(const std::string& path, const std::string& text, unsigned mode) override;
  Result<bool> is_replaceable(const std::string& path) override;
  Result<> remove(const std::string& path) override;
  Result<> remove_durably(const std::string& path) override;
  Result<> discard_unfinished(const std::string& path) override;
  Result<UniqueFd> hold_room(const std::string& path, std::size_t bytes) override;
  Result<> rename(const std::string& from, const std::string& to) override;
  Result<> check_writers(const std::string& path) override;
  Result<FileLock> lock(const std::string& path) override;

 private:
  enum class Durability : bool { kCached, kOnDisk };

  /// Opens the root where that has not been done; false and errno.
  bool open_root();
  /// openat2(2) below the root, with RESOLVE_IN_ROOT and what `resolve` adds; -1 and errno.
  int open_below(const std::string& path, int flags, std::uint64_t resolve);
  /// Opens a directory, and makes it and its parents where they are missing. Follows no link. Puts
  /// the directories in which it made one into `changed`.
  Result<UniqueFd> open_directory(const std::string& path, std::vector<UniqueFd>& changed,
                                  const std::string& what);
  Result<> replace(const std::string& path, const std::string& text, unsigned mode,
                   Durability durability);
  /// Of an open file: root or that user of this machine owns it.
  [[nodiscard]] bool is_of(const std::string& user, const struct stat& status);
  /// By this object, or by another process that left its mark.
  [[nodiscard]] bool was_made(const std::string& path);
  /// Removes `path` and those above it as far as we made them and they are empty.
  void remove_made_directories(std::string path);

  std::string root_;
  UniqueFd root_descriptor_;
  std::set<std::string> made_directories_;
  /// What this object removed: a file that a rollback restores gets its mode and owner again.
  std::map<std::string, struct stat> removed_;
};

}  // namespace spark::host
