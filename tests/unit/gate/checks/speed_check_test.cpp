#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The first rail came up at that speed, in Mb/s; the file says 200 Gb/s.
class SpeedTest : public GateTest {
 protected:
  SpeedTest() {
    const auto fabric = text_.find("fabric:\n");
    text_.insert(fabric + std::string("fabric:\n").size(), "  speed: 200G\n");
  }

  void came_up_at(std::uint32_t speed) {
    host_.hardware().facts().links = {{.link = kRail, .speed = speed}};
  }
};

TEST_F(SpeedTest, HoldsAtTheSpeedOfTheFileAndAbove) {
  for (const std::uint32_t speed : {200'000U, 400'000U}) {
    came_up_at(speed);
    const auto report = look();
    EXPECT_THAT(closed_by(report), IsEmpty());
    EXPECT_NE(report.rails[0].find(kSpeedFact.id), nullptr);
  }
}

TEST_F(SpeedTest, ASlowerLinkIsToldAndCountsOnlyWherePeersAreRequired) {
  came_up_at(100'000);
  auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre(kSpeedFact.id));
  EXPECT_EQ(report.verdict(), Verdict::kReady);
  EXPECT_EQ(report.rails[0].find(kSpeedFact.id)->measured, "100 Gb/s, the file says 200 Gb/s");
  EXPECT_THAT(report.rails[0].find(kSpeedFact.id)->remedy, HasSubstr("look at the cable"));
  text_ += "ready: { peers: require }\n";
  EXPECT_EQ(look().verdict(), Verdict::kNotReady);
}

TEST_F(SpeedTest, IsLeftOutWhereTheDriverTellsNone) {
  host_.hardware().facts().links = {{.link = kRail}};
  EXPECT_EQ(look().rails[0].find(kSpeedFact.id), nullptr);
}

TEST_F(GateTest, WithoutASpeedInTheFileAnyWillDo) {
  host_.hardware().facts().links = {{.link = kRail, .speed = 10'000}};
  EXPECT_EQ(look().rails[0].find(kSpeedFact.id), nullptr);
}

}  // namespace
}  // namespace spark::gate
