#include "base/line_diff.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/text.hpp"

namespace spark {
namespace {

using Lines = std::span<const std::string_view>;

/// What one text has where the other has it too, in order: pairs of positions.
using Common = std::vector<std::pair<std::size_t, std::size_t>>;

/// How far each diagonal (position in `a` minus position in `b`) was reached with a number of
/// changes.
class Reached {
 public:
  explicit Reached(std::ptrdiff_t changes)
      : zero_(changes + 1), furthest_(2 * static_cast<std::size_t>(changes + 1) + 1) {}
  [[nodiscard]] std::ptrdiff_t& at(std::ptrdiff_t diagonal) {
    return furthest_[static_cast<std::size_t>(zero_ + diagonal)];
  }

 private:
  std::ptrdiff_t zero_;
  std::vector<std::ptrdiff_t> furthest_;
};

/// Whether the furthest way to the diagonal comes from the one above: by a line of `b` that is
/// added.
bool comes_by_adding(Reached& before, std::ptrdiff_t diagonal, std::ptrdiff_t changes) {
  return diagonal == -changes ||
         (diagonal != changes && before.at(diagonal - 1) < before.at(diagonal + 1));
}

/// From the end back to the begin, over what was reached with each number of changes.
Common walk_back(std::vector<Reached>& reached, std::ptrdiff_t x, std::ptrdiff_t y) {
  Common common;
  for (auto changes = static_cast<std::ptrdiff_t>(reached.size()) - 1; changes > 0; --changes) {
    auto& before = reached[static_cast<std::size_t>(changes - 1)];
    const auto diagonal = x - y;
    const bool added = comes_by_adding(before, diagonal, changes);
    const auto from = added ? diagonal + 1 : diagonal - 1;
    const auto from_x = before.at(from);
    const auto stop_x = added ? from_x : from_x + 1;
    while (x > stop_x) common.emplace_back(--x, --y);
    x = from_x;
    y = from_x - from;
  }
  while (x > 0) common.emplace_back(--x, --y);  // without any change both begin alike
  std::ranges::reverse(common);
  return common;
}

/// Empty: more than a thousand lines would be removed and added.
std::optional<Common> longest_common(Lines a, Lines b) {
  constexpr std::ptrdiff_t kMostChanges = 1000;
  const auto a_size = std::ssize(a);
  const auto b_size = std::ssize(b);
  std::vector<Reached> reached;
  for (std::ptrdiff_t changes = 0; changes <= std::min(kMostChanges, a_size + b_size); ++changes) {
    reached.emplace_back(changes);
    auto& now = reached.back();
    for (auto diagonal = -changes; diagonal <= changes; diagonal += 2) {
      std::ptrdiff_t x = 0;
      if (changes > 0) {
        auto& before = reached[reached.size() - 2];
        x = comes_by_adding(before, diagonal, changes) ? before.at(diagonal + 1)
                                                       : before.at(diagonal - 1) + 1;
      }
      auto y = x - diagonal;
      while (x < a_size && y < b_size &&
             a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) {
        ++x;
        ++y;
      }
      now.at(diagonal) = x;
      if (x >= a_size && y >= b_size) return walk_back(reached, a_size, b_size);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<DiffLine> diff_lines(std::string_view from, std::string_view to) {
  const auto a = lines_of(from);
  const auto b = lines_of(to);
  const auto begin = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  std::size_t end = 0;
  while (end < std::min(a.size(), b.size()) - begin &&
         a[a.size() - 1 - end] == b[b.size() - 1 - end]) {
    ++end;
  }
  const auto middle = longest_common(Lines(a).subspan(begin, a.size() - begin - end),
                                     Lines(b).subspan(begin, b.size() - begin - end));
  Common common;
  for (std::size_t i = 0; i < begin; ++i) common.emplace_back(i, i);
  for (const auto& [x, y] : middle.value_or(Common{})) common.emplace_back(begin + x, begin + y);
  for (auto left = end; left > 0; --left) common.emplace_back(a.size() - left, b.size() - left);
  common.emplace_back(a.size(), b.size());

  std::vector<DiffLine> lines;
  std::size_t x = 0;
  std::size_t y = 0;
  for (const auto& [next_x, next_y] : common) {
    for (; x < next_x; ++x) lines.push_back({DiffLine::Is::kRemoved, a[x], x + 1, 0});
    for (; y < next_y; ++y) lines.push_back({DiffLine::Is::kAdded, b[y], 0, y + 1});
    if (x < a.size() && y < b.size()) lines.push_back({DiffLine::Is::kSame, a[x], x + 1, y + 1});
    ++x;
    ++y;
  }
  return lines;
}

}  // namespace spark
