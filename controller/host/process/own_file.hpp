#pragma once
// The small files that a service reads and writes for others.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {

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

}  // namespace spark::host
