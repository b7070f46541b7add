#include "cluster/told.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/cluster/clusters.hpp"

namespace spark::cluster {
namespace {

/// spark1 of a ring of three: spark2 and spark3 are its neighbours, and hear each other.
class LatestReportTest : public testing::Test {
 protected:
  LatestReportTest() {
    for (auto& hello : ring_.known.told.heard) hello.hello.candidate = "own";
    for (auto& told : ring_.known.told.peers) {
      for (auto& passed : told.details.heard) passed.candidate = "passed on";
    }
  }

  void does_not_hear(const std::string& node) {
    for (auto& hello : ring_.known.told.heard) {
      if (hello.hello.node == node) hello.is_silent = true;
    }
  }
  [[nodiscard]] LatestReport report() const { return latest_report("spark3", ring_.known.told); }

  test::KnownCluster ring_ = test::known_ring();
};

TEST_F(LatestReportTest, IsItsOwnHelloWhileThoseCome) {
  EXPECT_TRUE(report().is_heard);
  EXPECT_EQ(report().by, "");
  EXPECT_EQ(report().candidate, "own");
}

TEST_F(LatestReportTest, IsOfANeighbourThatStillHearsIt) {
  does_not_hear("spark3");
  EXPECT_TRUE(report().is_heard);
  EXPECT_EQ(report().by, "spark2");
  EXPECT_EQ(report().heard_at->count(),
            protocol::last_hello(ring_.known.told.heard, "spark2")->heard_ms)
      << "which says that it still holds";
  EXPECT_EQ(report().candidate, "passed on");
}

TEST_F(LatestReportTest, OfWhoIsSilentForAllIsItsOwn) {
  ring_.goes_silent("spark3");
  EXPECT_TRUE(report().is_silent);
  EXPECT_EQ(report().by, "");
  EXPECT_EQ(report().verdict_now(), protocol::Verdict::kUnknown);
  EXPECT_EQ(report().said, "ready") << "before it went silent";
}

TEST_F(LatestReportTest, OfASilentNeighbourIsNoNews) {
  does_not_hear("spark3");
  does_not_hear("spark2");
  EXPECT_TRUE(report().is_silent);
  EXPECT_EQ(report().by, "");
}

TEST_F(LatestReportTest, IsNoneWhereNobodySpeaksOfTheNode) {
  const auto none = latest_report("spark9", ring_.known.told);
  EXPECT_FALSE(none.is_heard || none.is_silent);
  EXPECT_EQ(none.candidate, "");
}

}  // namespace
}  // namespace spark::cluster
