#include <gtest/gtest.h>

#include "helpers/git/fault.hpp"

namespace spark::helpers {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kAt{std::chrono::milliseconds(1'769'851'800'000)};
constexpr WallTime kNobodyAsked{};

std::optional<protocol::FetchRetry> after(std::chrono::milliseconds wait) {
  return protocol::FetchRetry{.references = "same", .at = kAt, .wait = wait};
}

TEST(FetchRetry, IsPutOffUntilTheTimeIsOver) {
  EXPECT_TRUE(is_put_off(after(2min), "same", kNobodyAsked, kAt + 119s));
  EXPECT_FALSE(is_put_off(after(2min), "same", kNobodyAsked, kAt + 2min));
  EXPECT_FALSE(is_put_off(std::nullopt, "same", kNobodyAsked, kAt));
}

TEST(FetchRetry, IsNotPutOffWhereTheServerShowsSomethingElse) {
  EXPECT_FALSE(is_put_off(after(1h), "other", kNobodyAsked, kAt + 1s));
}

TEST(FetchRetry, IsNotPutOffOnceSomebodyAsks) {
  EXPECT_FALSE(is_put_off(after(1h), "same", kAt + 1ms, kAt + 1s));
  EXPECT_TRUE(is_put_off(after(1h), "same", kAt - 1s, kAt + 1s)) << "that fetch was made";
}

TEST(FetchRetry, AClockThatWasSetBackPutsNothingOff) {
  EXPECT_FALSE(is_put_off(after(1h), "same", kNobodyAsked, kAt - 24h));
}

TEST(FetchRetry, TheTimeDoublesFromTheIntervalUpToAnHour) {
  auto retry = retry_after(std::nullopt, "same", 1min, kAt);
  EXPECT_EQ(retry, *after(1min));
  for (const auto wait : {2min, 4min, 8min, 16min, 32min, 60min, 60min}) {
    retry = retry_after(retry, "same", 1min, kAt);
    EXPECT_EQ(retry, *after(wait));
  }
}

TEST(FetchRetry, TheTimeBeginsAgainWhereTheServerShowsSomethingElse) {
  EXPECT_EQ(retry_after(after(32min), "other", 1min, kAt).wait, 1min);
}

}  // namespace
}  // namespace spark::helpers
