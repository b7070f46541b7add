#include <fmt/format.h>
#include <gtest/gtest.h>

#include "helpers/web/page_token.hpp"

namespace spark::helpers {
namespace {

using namespace std::chrono_literals;

IpAddress ip(const std::string& text) { return *IpAddress::parse(text); }

class WrongTriesTest : public testing::Test {
 protected:
  void fail(const std::string& from, int times = 1) {
    for (int i = 0; i < times; ++i) tries_.was_wrong(ip(from), now_);
  }
  [[nodiscard]] std::int64_t wait(const std::string& from) const {
    return tries_.wait(ip(from), now_).count();
  }

  WrongTries tries_;
  WrongTries::Clock::time_point now_{1h};
};

TEST_F(WrongTriesTest, AreFiveInAnyMinute) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(wait("192.0.2.1"), 0) << i;
    fail("192.0.2.1");
    now_ += 10s;
  }
  EXPECT_EQ(wait("192.0.2.1"), 10) << "until the first is a minute ago";
  now_ += 9500ms;
  EXPECT_EQ(wait("192.0.2.1"), 1) << "never 0 while nothing is compared";
  now_ += 500ms;
  EXPECT_EQ(wait("192.0.2.1"), 0);
  fail("192.0.2.1");
  EXPECT_EQ(wait("192.0.2.1"), 10) << "until the second is";
  now_ += 1h;
  EXPECT_EQ(wait("192.0.2.1"), 0);
}

TEST_F(WrongTriesTest, CountForOneAddressAlone) {
  fail("192.0.2.1", 5);
  EXPECT_GT(wait("192.0.2.1"), 0);
  EXPECT_EQ(wait("192.0.2.2"), 0);
  EXPECT_EQ(wait("2001:db8::1"), 0);
}

TEST_F(WrongTriesTest, OfANetworkOfIpv6AreBoundedTooSinceOneStrangerMayHaveIt) {
  fail("2001:db8:0:1::1", 5);
  EXPECT_GT(wait("2001:db8:0:1::1"), 0);
  EXPECT_EQ(wait("2001:db8:0:1::2"), 0) << "all machines of a LAN are in one";
  for (int i = 0; i < 95; ++i) fail(fmt::format("2001:db8:0:1::{:x}", i + 100));
  EXPECT_EQ(wait("2001:db8:0:1:ffff::"), 60);
  EXPECT_EQ(wait("2001:db8:0:2::1"), 0);
  now_ += 60s;
  EXPECT_EQ(wait("2001:db8:0:1:ffff::"), 0);
  fail("2001:db8:0:1::2");
  EXPECT_EQ(wait("2001:db8:0:1:ffff::"), 0) << "another minute, another count";
}

TEST_F(WrongTriesTest, OfANeighbourLockNobodyOutWhoHadTheRightOne) {
  tries_.was_right(ip("2001:db8::1"));
  fail("2001:db8::2", 100);
  EXPECT_EQ(wait("2001:db8::1"), 0);
  EXPECT_GT(wait("2001:db8::3"), 0);
  fail("2001:db8::1", 5);
  EXPECT_GT(wait("2001:db8::1"), 0) << "its own count there too";
  EXPECT_EQ(tries_.places(), 2U);
}

TEST_F(WrongTriesTest, AreNotForgivenForARightOne) {
  fail("192.0.2.1", 4);
  tries_.was_right(ip("192.0.2.1"));
  fail("192.0.2.1");
  EXPECT_GT(wait("192.0.2.1"), 0);
}

TEST_F(WrongTriesTest, TakeABoundedPlaceHoweverManyAddressesTry) {
  fail("192.0.2.1", 5);
  for (int i = 0; i < 5000; ++i) {
    now_ += 1ms;
    fail(fmt::format("10.{}.{}.1", i / 250, i % 250));
    ASSERT_LE(tries_.places(), WrongTries::kMostPlaces);
  }
  for (int i = 0; i < 500; ++i) tries_.was_right(ip(fmt::format("2001:db8::{:x}", i)));
  EXPECT_EQ(wait("10.19.249.1"), 0);
  fail("10.19.249.1", 4);
  EXPECT_GT(wait("10.19.249.1"), 0) << "the last ones stay";
  now_ += 61s;
  fail("192.0.2.7");
  EXPECT_EQ(tries_.places(), 1U) << "those of more than a minute ago go";
}

}  // namespace
}  // namespace spark::helpers
