#include "cli/text/layout.hpp"

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

namespace spark::cli {
namespace {

TEST(Hanging, BeginsEachLineWhereTheTextBegins) {
  EXPECT_EQ(hanging("  unknown  ", "one two three four five six seven", 32),
            "  unknown  one two three four\n"
            "           five six seven\n");
  EXPECT_EQ(hanging("head", "", 32), "head\n");
}

TEST(Hanging, HasRoomForATextBehindALongHead) {
  EXPECT_EQ(hanging("a head as wide as the terminal ", "one two three four five six", 32),
            "a head as wide as the terminal one two three four\n"
            "                               five six\n");
}

TEST(Hanging, GoesByTheLastLineOfItsHead) {
  EXPECT_EQ(hanging("rail 0\n    ", "one two three four five", 24),
            "rail 0\n    one two three four\n    five\n");
}

TEST(Row, HasItsEndAtTheEdge) {
  EXPECT_EQ(row("left", "right", 20), "left           right\n");
  EXPECT_EQ(row("left", "", 20), "left\n");
  EXPECT_EQ(row("a long left side", "right", 20), "a long left side\n               right\n");
}

TEST(Pieces, StandSideBySideWhereTheyFit) {
  EXPECT_EQ(pieces("  eth0  ", {"up", "no carrier", "mtu 1500 (want 9000)"}, 40),
            "  eth0  up  no carrier\n"
            "        mtu 1500 (want 9000)\n");
  EXPECT_EQ(pieces("> ", {"one piece that is wider than all", "b"}, 24),
            "> one piece that is\n"
            "  wider than all  b\n");
}

TEST(Listed, JoinsAsPeopleDo) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(NextLine, IsNoneWithoutACommand) {
  EXPECT_EQ(next_line("Apply it", "spark-reconcile apply"), "Apply it:  spark-reconcile apply\n");
  EXPECT_EQ(next_line("Is it ready?", "spark-reconcile gate"),
            "Is it ready?  spark-reconcile gate\n");
  EXPECT_EQ(next_line("Apply it", ""), "");
}

TEST(Fitting, BreaksOnlyForATerminal) {
  const std::string text = "daemon: one two three four five six seven\n  eight nine ten eleven\n";
  const Terminal file(stdout, stderr, Color::kNever, false);
  EXPECT_EQ(fitting(text, file), text);
  const Terminal screen(stdout, stderr, Color::kNever, false, 24);
  EXPECT_EQ(fitting(text, screen),
            "daemon: one two three\n"
            "four five six seven\n"
            "  eight nine ten eleven\n");
}

}  // namespace
}  // namespace spark::cli
