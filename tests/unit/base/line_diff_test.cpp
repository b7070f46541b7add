#include "base/line_diff.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace spark {
namespace {

/// " a-b+c": each line after what becomes of it.
std::string diff(std::string_view from, std::string_view to) {
  std::string text;
  for (const auto& line : diff_lines(from, to)) {
    text += " -+"[static_cast<std::size_t>(line.is)];
    text += line.text;
  }
  return text;
}

/// The first or the second text, as the lines and their numbers give it.
std::string rebuilt(const std::vector<DiffLine>& lines, DiffLine::Is left_out) {
  std::string text;
  std::size_t number = 0;
  for (const auto& line : lines) {
    if (line.is == left_out) continue;
    EXPECT_EQ(left_out == DiffLine::Is::kAdded ? line.from : line.to, ++number);
    text += std::string(line.text) + "\n";
  }
  return text;
}

std::size_t changed(const std::vector<DiffLine>& lines) {
  return static_cast<std::size_t>(std::ranges::count_if(
      lines, [](const DiffLine& line) { return line.is != DiffLine::Is::kSame; }));
}

TEST(LineDiff, KeepsWhatBothHave) {
  EXPECT_EQ(diff("a\nb\nc\n", "a\nb\nc\n"), " a b c");
  EXPECT_EQ(diff("a\nb\nc\n", "a\nx\nc\n"), " a-b+x c");
  EXPECT_EQ(diff("", "a\nb\n"), "+a+b");
  EXPECT_EQ(diff("a\nb\n", ""), "-a-b");
  EXPECT_EQ(diff("", ""), "");
}

TEST(LineDiff, IsTheShortest) {
  EXPECT_EQ(diff("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n"), "-a-b c+b a b-b a+c");
  EXPECT_EQ(diff("x\ny\nx\ny\n", "y\nx\n"), "-x y x-y");
}

/// The shortest way, by the table of all ways.
std::size_t fewest_changes(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t x = 1; x <= a.size(); ++x) {
    for (std::size_t y = 1; y <= b.size(); ++y) {
      common[x][y] = a[x - 1] == b[y - 1] ? common[x - 1][y - 1] + 1
                                          : std::max(common[x - 1][y], common[x][y - 1]);
    }
  }
  return a.size() + b.size() - 2 * common[a.size()][b.size()];
}

TEST(LineDiff, OfAnyTwoTextsIsWholeAndTheShortest) {
  std::mt19937 random(
      1);  // NOLINT(bugprone-random-generator-seed,cert-msc51-cpp): the same each time
  for (int round = 0; round < 400; ++round) {
    std::vector<int> numbers[2];
    std::string texts[2];
    for (int i = 0; i < 2; ++i) {
      numbers[i].resize(random() % 14);
      for (auto& number : numbers[i]) {
        number = static_cast<int>(random() % 4);
        texts[i] += std::to_string(number) + "\n";
      }
    }
    const auto lines = diff_lines(texts[0], texts[1]);
    EXPECT_EQ(rebuilt(lines, DiffLine::Is::kAdded), texts[0]);
    EXPECT_EQ(rebuilt(lines, DiffLine::Is::kRemoved), texts[1]);
    EXPECT_EQ(changed(lines), fewest_changes(numbers[0], numbers[1])) << texts[0] << "--\n"
                                                                      << texts[1];
  }
}

TEST(LineDiff, OfWhatHasLittleInCommonIsStillWhole) {
  std::string from = "first\n";
  std::string to = "first\n";
  for (int i = 0; i < 3000; ++i) {
    from += "a" + std::to_string(i) + "\n";
    to += "b" + std::to_string(i) + "\n";
  }
  from += "last\n";
  to += "last\n";
  const auto lines = diff_lines(from, to);
  EXPECT_EQ(lines.size(), 6002U);
  EXPECT_EQ(rebuilt(lines, DiffLine::Is::kAdded), from);
  EXPECT_EQ(rebuilt(lines, DiffLine::Is::kRemoved), to);
}

}  // namespace
}  // namespace spark
