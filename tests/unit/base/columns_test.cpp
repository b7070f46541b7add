#include "base/columns.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spark {
namespace {

using Lines = std::vector<std::string>;

TEST(Columns, AreThoseOfATerminal) {
  EXPECT_EQ(columns("rail 0"), 6U);
  EXPECT_EQ(columns("══ →"), 4U);
  EXPECT_EQ(columns("größe"), 5U);
  EXPECT_EQ(columns("gro\xCC\x88\xC3\x9F"), 4U) << "a combining mark takes none";
  EXPECT_EQ(columns("東京"), 4U) << "wide characters take two";
  EXPECT_EQ(columns("\x1b[31mbad\x1b[0m"), 3U) << "a tone takes none";
  EXPECT_EQ(columns("\xff"), 1U);
}

TEST(Padded, FillsUpColumnsAndNotBytes) {
  EXPECT_EQ(padded("東", 4), "東  ");
  EXPECT_EQ(padded("\x1b[2mx\x1b[0m", 2), "\x1b[2mx\x1b[0m ");
  EXPECT_EQ(padded("long", 2), "long");
}

TEST(Broken, BreaksAtBlanksAlone) {
  EXPECT_EQ(broken("one two three", 9), (Lines{"one two", "three"}));
  EXPECT_EQ(broken("one two three", 13), (Lines{"one two three"}));
  EXPECT_EQ(broken("a very-long-word b", 6), (Lines{"a", "very-long-word", "b"}));
  EXPECT_EQ(broken("", 6), Lines{});
  EXPECT_EQ(broken("  two  blanks ", 20), (Lines{"two blanks"}));
}

TEST(Broken, KeepsACommandOnOneLineWhereItFits) {
  EXPECT_EQ(broken("then run `ip link set eth0 up` again", 20),
            (Lines{"then run `ip link", "set eth0 up` again"}))
      << "21 columns do not fit into 20";
  EXPECT_EQ(broken("then run `ip link set eth0 up`; again", 22),
            (Lines{"then run", "`ip link set eth0 up`;", "again"}));
}

TEST(Broken, CountsWideCharactersAsTwo) {
  EXPECT_EQ(broken("東京 東京 ab", 9), (Lines{"東京 東京", "ab"}));
  EXPECT_EQ(broken("東京 東京 ab", 8), (Lines{"東京", "東京 ab"}));
}

TEST(Cut, ShowsThatSomethingIsMissing) {
  EXPECT_EQ(cut("short", 5), "short");
  EXPECT_EQ(cut("longer", 5), "long…");
  EXPECT_EQ(cut("東京都", 5), "東京…");
}

}  // namespace
}  // namespace spark
