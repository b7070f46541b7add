#include "base/html.hpp"

#include <gtest/gtest.h>

namespace spark {
namespace {

TEST(Html, EscapesMarkupAndWhatIsHidden) {
  EXPECT_EQ(html("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(html("a\nb\x07\xff"), "a\\x0ab\\x07\\xff");
  EXPECT_EQ(html("abcdef", 3), "abc...");
}

TEST(Html, MakesCommandsOfBackticks) {
  EXPECT_EQ(prose("see `a<b` or `c"), "see <code>a&lt;b</code> or `c");
}

}  // namespace
}  // namespace spark
