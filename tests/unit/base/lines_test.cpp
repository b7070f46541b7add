#include "base/lines.hpp"

#include <gtest/gtest.h>

namespace spark {
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

TEST(InLines, KeepsTheBlanksThatALineBeginsWith) {
  const auto* const text = "one two three four five\n    six seven eight nine ten\n";
  EXPECT_EQ(in_lines(text, 24), "one two three four five\n    six seven eight nine\n    ten\n");
  EXPECT_EQ(in_lines(text, std::nullopt), text);
}

}  // namespace
}  // namespace spark
