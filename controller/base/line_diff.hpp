#pragma once
// diff_lines: what has to be removed and added, line by line, to make one text of another.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spark {

struct DiffLine {
  enum class Is : std::uint8_t { kSame, kRemoved, kAdded };
  Is is{};
  std::string_view text;  ///< without the line break
  std::size_t from = 0;   ///< its number in the first text, from 1; 0: kAdded
  std::size_t to = 0;     ///< its number in the second text, from 1; 0: kRemoved
  bool operator==(const DiffLine&) const = default;
};

/// All lines of both texts, in order. The shortest way there is (E. Myers, An O(ND) Difference
/// Algorithm, 1986) for up to a thousand removed and added lines; with more, what lies between the
/// lines that both texts begin and end with is removed and added as a whole. Views into the texts.
std::vector<DiffLine> diff_lines(std::string_view from, std::string_view to);

}  // namespace spark
