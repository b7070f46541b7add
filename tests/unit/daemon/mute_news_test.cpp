#include "daemon/mute_news.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <syslog.h>

#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

MuteRecord drift_muted(const std::string& node, const std::string& by) {
  return {.mute = {.id = "SR-ALERT-003",
                   .alert = "SparkDrift",
                   .node = node,
                   .since = at(0s),
                   .until = at(2h),
                   .reason = "cabling",
                   .by = by,
                   .asked = {},
                   .change_id = "CHG0031"},
          .subjects = {}};
}

TEST(MuteNews, SayWhatBeginsAndEnds) {
  std::vector<std::string> lines;
  for (const auto& item : news_of_mutes(
           {{drift_muted("", "alice"), ""}, {drift_muted("spark2", ""), "its time is over"}}, {})) {
    EXPECT_EQ(item.priority, LOG_NOTICE);
    EXPECT_EQ(item.change_id, "CHG0031");
    lines.push_back(std::string(item.what) + ": " + item.text);
  }
  EXPECT_THAT(lines,
              ElementsAre("muted: SparkDrift (SR-ALERT-003) is muted until 2026-01-01T14:00:00Z by "
                          "alice: cabling",
                          "mute_ended: SparkDrift (SR-ALERT-003) of spark2 is no longer muted: its "
                          "time is over"));
}

TEST(MuteNews, SayWhatNobodyIsToldOf) {
  const Alert alert{.name = "SparkDrift", .id = "SR-ALERT-003", .summary = "mtu a is 1500"};
  std::vector<std::string> lines;
  for (const auto& item :
       news_of_mutes({}, {{Transition::What::kRaised, alert, at(0s), ""},
                          {Transition::What::kResolved, alert, at(1s), "gone"}})) {
    EXPECT_STREQ(item.what, "alert_muted");
    lines.push_back(item.text);
  }
  EXPECT_THAT(
      lines,
      ElementsAre("told to nobody, since it is muted: SparkDrift (SR-ALERT-003): mtu a is 1500",
                  "told to nobody, since it is muted: SparkDrift (SR-ALERT-003) is over (gone)"));
}

}  // namespace
}  // namespace spark::daemon
