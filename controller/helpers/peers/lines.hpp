#pragma once
// Lines: whole lines of a descriptor that somebody else writes, bounded in length and in time.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/line_buffer.hpp"
#include "base/result.hpp"
#include "base/wait.hpp"

namespace spark::helpers {

class LineReader {
 public:
  /// Borrows the descriptor, which does not block.
  LineReader(int descriptor, std::size_t limit) : descriptor_(descriptor), lines_(limit) {}

  /// Reads what is there. False: the other end is closed, or a line is longer than the limit.
  bool fill();
  /// The next whole line, without its end; empty: none is there yet.
  std::optional<std::string> take() { return lines_.take(); }

  /// Waits for one. Errors: kTimeout; kSystem: the other end closed it, or sent too long a line.
  Result<std::string> await(SteadyTime end);

 private:
  int descriptor_;
  LineBuffer lines_;
};

/// Writes it with an end of line. Errors: kTimeout: not all of it before `end`; kSystem.
Result<> write_line(int descriptor, std::string_view line, SteadyTime end);

}  // namespace spark::helpers
