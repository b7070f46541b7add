#pragma once
// FakeFiles: the files of a fake world.

#include <functional>
#include <map>
#include <set>
#include <string>

#include "fake/fake_writes.hpp"
#include "host/files.hpp"

namespace spark::test {

class FakeFiles : public host::Files {
 public:
  explicit FakeFiles(FakeWrites& writes) : writes_(writes) {}

  Result<std::optional<std::string>> read(const std::string& path) override;
  Result<std::optional<std::string>> read_helpers(const std::string& path, const std::string& user,
                                                  std::size_t most_bytes) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Result<> write(const std::string& path, const std::string& text, unsigned mode) override;
  Result<> write_durably(const std::string& path, const std::string& text, unsigned mode) override;
  Result<bool> is_replaceable(const std::string& path) override;
  Result<> remove(const std::string& path) override;
  Result<> remove_durably(const std::string& path) override { return remove(path); }
  Result<> discard_unfinished(const std::string& path) override;
  Result<UniqueFd> hold_room(const std::string& path, std::size_t bytes) override;
  Result<> rename(const std::string& from, const std::string& to) override;
  Result<> check_writers(const std::string& path) override;
  Result<host::FileLock> lock(const std::string& path) override;

  /// Makes or replaces a file without us: not counted, not refused.
  void put(const std::string& path, std::string text) { files_[path] = std::move(text); }
  void erase(const std::string& path) { files_.erase(path); }
  /// All of them, by path.
  [[nodiscard]] const std::map<std::string, std::string>& all() const { return files_; }
  /// The file is a symbolic link from now on: it is read like any other, but not as a helper's, and
  /// not replaced.
  void make_link(const std::string& path) { links_.insert(path); }
  /// The file is that user's from now on; else a file is root's.
  void give_to(const std::string& path, std::string user) { owners_[path] = std::move(user); }
  /// Others may write into that directory from now on.
  void open_to_others(const std::string& directory) { open_to_others_.insert(directory); }
  /// `lock` fails from now on and names this holder.
  void hold_lock(std::string holder) { holder_ = std::move(holder); }
  /// Somebody who holds the lock does that, and lets it go just before the next `lock`.
  void before_lock(std::function<void()> act) { before_lock_ = std::move(act); }

 private:
  FakeWrites& writes_;
  std::map<std::string, std::string> files_;
  std::set<std::string> links_;
  std::map<std::string, std::string> owners_;
  std::string holder_;  ///< empty: the lock is free
  std::function<void()> before_lock_;
  std::set<std::string> open_to_others_;
};

}  // namespace spark::test
