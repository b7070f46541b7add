#pragma once
// Lines: whole lines of a descriptor that somebody else writes, bounded in length and in time.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace spark::helpers {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Waits until the descriptor can be read (or be written, with `to_write`). False: not before
/// `end`.
bool wait_for(int descriptor, SteadyTime end, bool to_write = false);

class LineReader {
 public:
  /// Borrows the descriptor, which does not block.
  LineReader(int descriptor, std::size_t limit) : descriptor_(descriptor), limit_(limit) {}

  /// Reads what is there. False: the other end is closed, or a line is longer than the limit.
  bool fill();
  /// The next whole line, without its end; empty: none is there yet.
  std::optional<std::string> take();

  /// Waits for one. Errors: kTimeout; kSystem: the other end closed it, or sent too long a line.
  Result<std::string> await(SteadyTime end);

 private:
  /// The next line, whole or not, is longer than the limit.
  [[nodiscard]] bool is_too_long() const;

  int descriptor_;
  std::size_t limit_;
  std::string buffer_;
};

/// Writes it with an end of line. Errors: kTimeout: not all of it before `end`; kSystem.
Result<> write_line(int descriptor, std::string_view line, SteadyTime end);

}  // namespace spark::helpers
