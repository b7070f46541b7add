#include "cli/text/diff_text.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/line_diff.hpp"
#include "base/text.hpp"

namespace spark::cli {
namespace {

constexpr std::size_t kAround = 3;

using Hunk = std::span<const DiffLine>;

bool is_change(const DiffLine& line) { return line.is != DiffLine::Is::kSame; }

/// Changes with the lines around them; those that are near each other are one.
std::vector<Hunk> hunks_of(std::span<const DiffLine> lines) {
  std::vector<Hunk> hunks;
  std::size_t end = 0;  // of the last one
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_change(lines[i])) continue;
    const auto begin = i - std::min(i, kAround);
    const auto stop = std::min(i + kAround + 1, lines.size());
    if (!hunks.empty() && begin <= end) {
      const auto first = static_cast<std::size_t>(hunks.back().data() - lines.data());
      hunks.back() = lines.subspan(first, stop - first);
    } else {
      hunks.push_back(lines.subspan(begin, stop - begin));
    }
    end = stop;
  }
  return hunks;
}

/// "12,7": its first line and how many, as diff(1) counts: "12" for one, and "12,0" for none behind
/// that line.
std::string range_of(Hunk hunk, std::span<const DiffLine> all, std::size_t DiffLine::* number) {
  const auto before = all.first(static_cast<std::size_t>(hunk.data() - all.data()));
  const auto is_in = [&](const DiffLine& line) { return line.*number != 0; };
  const auto begin = static_cast<std::size_t>(std::ranges::count_if(before, is_in));
  const auto size = static_cast<std::size_t>(std::ranges::count_if(hunk, is_in));
  return size == 1 ? fmt::format("{}", begin + 1)
                   : fmt::format("{},{}", size == 0 ? begin : begin + 1, size);
}

std::string text_of_line(const DiffLine& line, const Terminal& terminal) {
  switch (line.is) {
    case DiffLine::Is::kRemoved:
      return terminal.paint(Tone::kBad, "-" + printable(line.text)) + "\n";
    case DiffLine::Is::kAdded:
      return terminal.paint(Tone::kGood, "+" + printable(line.text)) + "\n";
    case DiffLine::Is::kSame:
      break;
  }
  return " " + printable(line.text) + "\n";
}

}  // namespace

std::string diff_text(std::string_view from_name, std::string_view from, std::string_view to_name,
                      std::string_view to, const Terminal& terminal) {
  const auto lines = diff_lines(from, to);
  const auto hunks = hunks_of(lines);
  if (hunks.empty()) return {};
  auto text = terminal.paint(Tone::kStrong, fmt::format("--- {}", printable(from_name))) + "\n" +
              terminal.paint(Tone::kStrong, fmt::format("+++ {}", printable(to_name))) + "\n";
  for (const auto& hunk : hunks) {
    const auto place = fmt::format("@@ -{} +{} @@", range_of(hunk, lines, &DiffLine::from),
                                   range_of(hunk, lines, &DiffLine::to));
    text += terminal.paint(Tone::kFaint, place) + "\n";
    for (const auto& line : hunk) text += text_of_line(line, terminal);
  }
  return text;
}

}  // namespace spark::cli
