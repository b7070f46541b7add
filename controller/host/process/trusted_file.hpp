#pragma once
// Trusted files: who else could have written a file that is followed as root, and whether somebody
// is writing it now.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {

// The small files that a service reads and writes for others.

/// The text of a regular file that is no link; empty: there is none. Errors: kInvalid when it is
/// something else or longer than `limit_bytes`.
Result<std::optional<std::string>> read_plain(const std::string& path, std::size_t limit_bytes);
/// The same, where root alone could have written it. Errors: also kNotFound.
Result<std::string> read_of_root(const std::string& path, std::size_t limit_bytes);

/// Replaces the file in one rename; it is on disk when this returns. A folder in its place is moved
/// to "PATH.in-the-way-NUMBER".
Result<> replace_file(const std::string& path, std::string_view text, mode_t mode = 0644);

/// A file that is written again and again, in place, by one process; all may read it.
class FileInPlace {
 public:
  explicit FileInPlace(std::string path) : path_(std::move(path)) {}

  /// `text`: as long as each before it. It is made where there is none, also where somebody
  /// removed it.
  Result<> write(std::string_view text);
  /// By this process, and it is there as far as is known.
  [[nodiscard]] bool is_written() const { return file_.valid(); }
  /// Also one that a process before this one left.
  void remove();

 private:
  std::string path_;
  UniqueFd file_;  ///< not valid: not written yet
};

// FileStamp: what changes with a file, so that one that stayed as it is need not be read again.

struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;  ///< of its content, owner or mode
  bool operator==(const FileStamp&) const = default;
};

/// Of the file itself, not of what a link leads to. Empty: there is none, or it cannot be seen.
std::optional<FileStamp> file_stamp(const std::string& path);

/// Whose files are followed.
struct Trust {
  std::set<uid_t> owners;  ///< beside root
  /// A group whose only member is an owner may write too: Ubuntu's umask is 0002.
  bool own_group = false;
};

/// Checks that only those in `trust` could have written or replaced the open file: judges the file,
/// each directory from `top` down to it, and the directory of `name`, which may be a link. `name`:
/// what messages call the file, below `top`. Errors: kInvalid, with the command that fixes it.
Result<> check_trust(int file, const std::string& name, const Trust& trust,
                     const std::string& top = "/");

/// Checks that the file of that name may be followed unasked: only root can write it, and nobody
/// has it open for writing. An absent file is fine. Errors: kBusy while somebody writes it;
/// kInvalid as check_trust.
Result<> check_takeable(const std::string& top, const std::string& name);

}  // namespace spark::host
