#include "cli/input/asked_time.hpp"

#include <gtest/gtest.h>

#include "base/moment.hpp"

namespace spark::cli {
namespace {

/// "none" for what is no time.
std::string asked_at(const std::string& text) {
  const auto time = asked_time(text, *wall_from_utc("2026-11-28T12:00:00Z"));
  return time ? utc_text(*time) : "none";
}

TEST(AskedTime, WithoutADateIsTheLastOneThatHasPassed) {
  EXPECT_EQ(asked_at("03:12"), "2026-11-28T03:12:00Z");
  EXPECT_EQ(asked_at("12:00"), "2026-11-28T12:00:00Z");
  EXPECT_EQ(asked_at("23:59:58"), "2026-11-27T23:59:58Z");
}

TEST(AskedTime, HasADateAsEventsShowsItOrWithABlank) {
  EXPECT_EQ(asked_at("2026-11-28T03:12:05Z"), "2026-11-28T03:12:05Z");
  EXPECT_EQ(asked_at("2026-11-20 03:12"), "2026-11-20T03:12:00Z");
  EXPECT_EQ(asked_at("2026-11-29T03:12"), "2026-11-29T03:12:00Z");
}

TEST(AskedTime, WithoutSecondsIsAMinute) {
  EXPECT_EQ(length_of_time("03:12"), std::chrono::minutes(1));
  EXPECT_EQ(length_of_time("2026-11-28T03:12Z"), std::chrono::minutes(1));
  EXPECT_EQ(length_of_time("03:12:05"), std::chrono::minutes(0));
  EXPECT_EQ(length_of_time("2026-11-28T03:12:05Z"), std::chrono::minutes(0));
}

TEST(AskedTime, IsRefusedInAnyOtherForm) {
  for (const auto* text :
       {"", "3", "3:12", "03:60", "24:00", "03:12Z", "3h", "yesterday", "2026-11-28",
        "2026-02-30 03:12", "2026-11-28_03:12", "2026-11-28 03:12 UTC", " 3:12"}) {
    EXPECT_EQ(asked_at(text), "none") << text;
  }
}

}  // namespace
}  // namespace spark::cli
