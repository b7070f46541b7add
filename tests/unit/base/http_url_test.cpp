#include "base/http_url.hpp"

#include <gtest/gtest.h>

namespace spark {
namespace {

TEST(HttpUrl, HasHostPortAndTarget) {
  EXPECT_EQ(HttpUrl::parse("http://relay.example:8080/a?b=c"),
            (HttpUrl{"relay.example", 8080, "/a?b=c"}));
  EXPECT_EQ(HttpUrl::parse("http://192.0.2.1"), (HttpUrl{"192.0.2.1", 80, "/"}));
  EXPECT_EQ(HttpUrl::parse("http://[2001:db8::1]:9093/"), (HttpUrl{"2001:db8::1", 9093, "/"}));
}

TEST(HttpUrl, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"", "http://", "https://a/", "http:/a", "http://a:0/", "http://a:65536/", "http://a:/",
        "http://user@a/", "http://a/#b", "http://a/\r\nX: y", "http://[::1", "http://[]/",
        "http://-a/", "http://a b/", "http://[::1]a/"}) {
    EXPECT_FALSE(HttpUrl::parse(text)) << text;
  }
}

TEST(HttpUrl, NamesItsAuthority) {
  EXPECT_EQ(HttpUrl::parse("http://[2001:db8::1]:9093/")->authority(), "[2001:db8::1]:9093");
  EXPECT_EQ(HttpUrl::parse("http://a/")->authority(), "a");
}

}  // namespace
}  // namespace spark
