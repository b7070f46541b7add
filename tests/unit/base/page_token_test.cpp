#include "base/page_token.hpp"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PageTokenText, IsOneLineOfSixteenTo256VisibleCharacters) {
  for (const auto& text :
       {std::string(16, '!'), std::string(256, '~'), std::string("Ab0/+=-_.:,;()[]"),
        fmt::format("{:x<16}\n", ""), fmt::format("{:x<256}\n", "")}) {
    EXPECT_EQ(why_no_token(text), "") << text;
    EXPECT_TRUE(is_token(token_in(text))) << text;
    EXPECT_THAT(std::string(token_in(text)), Not(HasSubstr("\n")));
  }
}

TEST(PageTokenText, OfOneThatIsNoneItsPlaceIsSaidAndNothingOfIt) {
  EXPECT_EQ(why_no_token(""), "line 1, column 1: it has 0 characters, and a token 16 to 256");
  EXPECT_EQ(why_no_token("\n"), "line 1, column 1: it has 0 characters, and a token 16 to 256");
  EXPECT_EQ(why_no_token("zzzzzzzzzzzzzzz\n"),
            "line 1, column 1: it has 15 characters, and a token 16 to 256");
  EXPECT_EQ(why_no_token(std::string(257, 'z')),
            "line 1, column 1: it has more than 256 characters, and a token 16 to 256");
  EXPECT_EQ(why_no_token("zzzzzz zzzzzzzzzzzzz\n"),
            "line 1, column 7: a blank, where a token has visible ASCII characters without blanks "
            "only");
  EXPECT_THAT(why_no_token("zzzzzzzzzzzzzzzz\r\n"), HasSubstr("line 1, column 17: a character"));
  EXPECT_THAT(why_no_token("zzz\xc3\xa4zzzzzzzzzzzzz\n"),
              HasSubstr("line 1, column 4: a character"));
  EXPECT_THAT(why_no_token(std::string("zz\0zzzzzzzzzzzzzzz", 18)),
              HasSubstr("line 1, column 3: "));
  EXPECT_EQ(why_no_token("zzzzzzzzzzzzzzzz\nyyyyyyyyyyyyyyyy\n"),
            "line 1, column 17: the file goes on behind its one line");
  EXPECT_EQ(why_no_token("zzzzzzzzzzzzzzzz\n\n"),
            "line 1, column 17: the file goes on behind its one line");
  for (const auto* text : {"zzzz zzzzzzzzzzz", "zzz\nzzzzzzzzzzzz", "zzzzzzzzzzzzzzz"}) {
    EXPECT_FALSE(is_token(text)) << text;
    EXPECT_THAT(why_no_token(text), Not(HasSubstr("zz")));
  }
}

}  // namespace
}  // namespace spark
