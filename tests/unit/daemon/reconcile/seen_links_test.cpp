#include "daemon/reconcile/drift_tracker.hpp"

#include <gtest/gtest.h>

#include "fake/fake_cluster.hpp"
#include "fake/names.hpp"

namespace spark::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using test::kRail;

class SeenLinksTest : public testing::Test {
 protected:
  SeenLinksTest() { test::add_spark(host_); }

  void note_at(milliseconds boot) {
    host::View view(ports_);
    links_.note(test::node_on(host_, test::pair_text()), view, at(boot));
  }
  [[nodiscard]] Occasion occasion_at(milliseconds boot) const {
    return links_.occasion(kRail, at(boot));
  }
  static Moment at(milliseconds boot) { return {.wall = {}, .boot = boot}; }

  test::FakeHost host_;
  host::Host ports_ = host_.host();
  SeenLinks links_;
};

TEST_F(SeenLinksTest, ALinkThatWasAlwaysThereIsWrittenBySomebody) {
  EXPECT_EQ(occasion_at(seconds(1)), Occasion::kWriter);
  note_at(seconds(1));
  note_at(seconds(2));
  EXPECT_EQ(occasion_at(seconds(2)), Occasion::kWriter);
}

TEST_F(SeenLinksTest, ForFiveSecondsAfterItsCarrierChangedThatWasTheCause) {
  note_at(seconds(1));
  ASSERT_TRUE(host_.netlink().set_up(kRail, true));
  note_at(seconds(9));
  host_.netlink().set_cable(kRail, false);
  note_at(seconds(10));
  EXPECT_EQ(occasion_at(seconds(15)), Occasion::kCarrier);
  EXPECT_EQ(occasion_at(seconds(15) + milliseconds(1)), Occasion::kWriter);
}

TEST_F(SeenLinksTest, ADeviceThatCameIsSetUpByOthersForFiveSeconds) {
  note_at(seconds(1));
  auto link = *host::View(ports_).link(kRail);
  host_.netlink().unplug(kRail);
  note_at(seconds(10));
  host_.netlink().plug(link);
  note_at(seconds(20));
  EXPECT_EQ(occasion_at(seconds(25)), Occasion::kDevice);
  EXPECT_EQ(occasion_at(seconds(26)), Occasion::kWriter);
}

}  // namespace
}  // namespace spark::daemon
