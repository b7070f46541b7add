#include "cli/text/diff_text.hpp"

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

namespace spark::cli {
namespace {

std::string diff(const std::string& from, const std::string& to, Color color = Color::kNever) {
  const Terminal terminal(stdout, stderr, color, false);
  return diff_text("old", from, "new", to, terminal);
}

/// The lines "first" to "last".
std::string numbers(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += std::to_string(i) + "\n";
  return text;
}

// As GNU diff -u shows them, but for the names.
TEST(DiffText, HasThreeLinesAroundAChange) {
  EXPECT_EQ(diff(numbers(1, 9), numbers(1, 4) + "five\n" + numbers(6, 9)),
            "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(diff("", "1\n"), "--- old\n+++ new\n@@ -0,0 +1 @@\n+1\n");
  EXPECT_EQ(diff("1\n2\n", "1\n"), "--- old\n+++ new\n@@ -1,2 +1 @@\n 1\n-2\n");
}

TEST(DiffText, PutsChangesThatAreNearEachOtherTogether) {
  const auto far = diff(numbers(1, 20), "0\n" + numbers(1, 19));
  EXPECT_NE(far.find("@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -17,4 +18,3 @@\n 17\n 18\n 19\n-20\n"),
            std::string::npos)
      << far;
  const auto near = diff(numbers(1, 6), "0\n" + numbers(1, 5));
  EXPECT_NE(near.find("@@ -1,6 +1,6 @@\n"), std::string::npos) << near;
}

TEST(DiffText, OfTheSameLinesIsEmpty) { EXPECT_EQ(diff("1\n", "1\n"), ""); }

TEST(DiffText, PaintsWhatIsRemovedAndAddedAndGivesTheTerminalNoOrders) {
  EXPECT_EQ(diff("a\x1b[2J\n", "b\n", Color::kAlways),
            "\x1b[1m--- old\x1b[0m\n\x1b[1m+++ new\x1b[0m\n\x1b[2m@@ -1 +1 @@\x1b[0m\n"
            "\x1b[31m-a\\x1b[2J\x1b[0m\n\x1b[32m+b\x1b[0m\n");
}

}  // namespace
}  // namespace spark::cli
