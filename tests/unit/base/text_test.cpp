#include "base/text.hpp"

#include <array>

#include <gtest/gtest.h>

namespace spark {
namespace {

TEST(Utf8, ReadsCodePointsOfEachLength) {
  EXPECT_EQ(decode_utf8("a")->value, U'a');
  EXPECT_EQ(decode_utf8("\u00df!")->value, U'\u00df');
  EXPECT_EQ(decode_utf8("\u20ac")->size, 3U);
  EXPECT_EQ(decode_utf8("\U0001f600")->value, U'\U0001f600');
}

TEST(Utf8, RefusesWhatIsNoUtf8) {
  for (const char* text : {"", "\x80", "\xc3(", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xff"}) {
    EXPECT_FALSE(decode_utf8(text)) << printable(text);
  }
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[2Jb\n"), "a\\x1b[2Jb\\x0a");
  EXPECT_EQ(printable("access\u202e"), "access\\u202e");
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("gr\u00f6\u00dfe"), "gr\u00f6\u00dfe");
}

TEST(Printable, CutsBetweenCodePoints) {
  EXPECT_EQ(printable("\u00e4\u00f6\u00fc", 2), "\u00e4\u00f6...");
  EXPECT_EQ(printable("\u00e4\u00f6", 2), "\u00e4\u00f6");
}

TEST(EditDistance, CountsSwappedNeighboursAsOne) {
  EXPECT_EQ(edit_distance("mtu", "mtu"), 0U);
  EXPECT_EQ(edit_distance("mtuu", "mtu"), 1U);
  EXPECT_EQ(edit_distance("hots", "host"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Closest, FindsWhatWasMeantAndNothingElse) {
  constexpr std::array<std::string_view, 4> kWords{"mtu", "up", "addresses", "owner"};
  EXPECT_EQ(closest("mtuu", kWords), "mtu");
  EXPECT_EQ(closest("adresses", kWords), "addresses");
  EXPECT_EQ(closest("nameservers", kWords), std::nullopt);
  EXPECT_EQ(closest("x", kWords), std::nullopt);
  EXPECT_EQ(closest("MTU", kWords), "mtu");
  EXPECT_EQ(closest("UP", kWords), "up");
  EXPECT_EQ(closest(std::string(100'000, 'm'), kWords), std::nullopt);
}

TEST(LineOf, FindsEachLineWithoutItsEnd) {
  EXPECT_EQ(line_of("a\nb\r\nc", 1), "a");
  EXPECT_EQ(line_of("a\nb\r\nc", 2), "b");
  EXPECT_EQ(line_of("a\nb\r\nc", 3), "c");
  EXPECT_EQ(line_of("a\n", 9), "");
}

TEST(FoldBlanks, TakesTabsForBlanks) {
  EXPECT_EQ(fold_blanks("\t4096  87380\t268435456 "), "4096 87380 268435456");
  EXPECT_EQ(fold_blanks(""), "");
}

TEST(WithoutPasswords, MasksThemInUrlsAlone) {
  EXPECT_EQ(without_passwords("url: https://me:secret@host/a:b@c"),
            "url: https://me:***@host/a:b@c");
  EXPECT_EQ(without_passwords("'https://token@host/x'"), "'https://***@host/x'");
  EXPECT_EQ(without_passwords("ssh://git:secret@host/x ssh://git@host/y"),
            "ssh://git:***@host/x ssh://git@host/y");
  EXPECT_EQ(without_passwords("http://me:se@cr@host:80/"), "http://me:***@host:80/");
  EXPECT_EQ(without_passwords("https://me:se/cret@host/"), "https://me:***@host/");
  for (const auto* plain : {"", "https://host:80/path@1", "https://host/path@1", "me:secret@host",
                            "://", "ssh://git@[::1]:22/x"}) {
    EXPECT_EQ(without_passwords(plain), plain);
  }
}

TEST(Listed, JoinsAsPeopleDo) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(HasName, TakesNoPartOfALongerName) {
  EXPECT_TRUE(has_name("spark1:0 answers", "spark1"));
  EXPECT_TRUE(has_name("it leads to spark1.", "spark1"));
  EXPECT_TRUE(has_name("spark10 and spark1", "spark1"));
  EXPECT_FALSE(has_name("spark10 answers", "spark1"));
  EXPECT_FALSE(has_name("my-spark1 answers", "spark1"));
  EXPECT_FALSE(has_name("spark1.lab answers", "spark1"));
  EXPECT_FALSE(has_name("lab.spark1 answers", "spark1"));
  EXPECT_FALSE(has_name("", "spark1"));
}

}  // namespace
}  // namespace spark
