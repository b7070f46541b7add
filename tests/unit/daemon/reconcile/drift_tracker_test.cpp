#include "daemon/reconcile/drift_tracker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_cluster.hpp"
#include "fake/names.hpp"

namespace spark::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

using test::kRail;

constexpr const char* kName = "mtu enp1s0f0np0";

class DriftTrackerTest : public testing::Test {
 protected:
  static Moment at(milliseconds boot) {
    return {std::chrono::sys_time<milliseconds>(std::chrono::hours(500'000)) + boot, boot};
  }

  /// Another writer sets it, we set it back.
  void fight(milliseconds when, const std::string& writer = "") {
    drift_.corrected(step_, "cluster.yaml:9:3", writer, Occasion::kWriter, at(when));
    drift_.end_pass({}, at(when));
  }

  plan::Step step_{.kind = "mtu", .key = "enp1s0f0np0", .before = "1500", .after = "9000"};
  DriftTracker drift_{Pace{}};
};

TEST_F(DriftTrackerTest, ACorrectionThatHoldsLeavesNothingOpen) {
  fight(minutes(1));
  EXPECT_THAT(drift_.open(), IsEmpty());
  EXPECT_FALSE(drift_.is_held(kName, at(minutes(1))));
}

TEST_F(DriftTrackerTest, ThreeCorrectionsInTenMinutesAreAContest) {
  fight(minutes(1));
  fight(minutes(5));
  EXPECT_THAT(drift_.open(), IsEmpty());
  fight(minutes(9));
  ASSERT_THAT(drift_.open(), SizeIs(1));
  EXPECT_EQ(drift_.open()[0].state, Drift::State::kContested);
  EXPECT_EQ(drift_.open()[0].held_until.boot, minutes(39));
  EXPECT_EQ(drift_.open()[0].why, "corrected 3 times within 10 minutes and changed again");
  EXPECT_TRUE(drift_.is_held(kName, at(minutes(38))));
  EXPECT_FALSE(drift_.is_held(kName, at(minutes(39))));
}

TEST_F(DriftTrackerTest, WhatIsForgottenCountsNoMore) {
  fight(minutes(1));
  fight(minutes(2));
  drift_.forget();
  fight(minutes(3));
  fight(minutes(4));
  EXPECT_THAT(drift_.open(), IsEmpty());
  fight(minutes(5));
  EXPECT_THAT(drift_.open(), SizeIs(1));
}

TEST_F(DriftTrackerTest, TheLastWriterThatWasKnownIsNamed) {
  fight(minutes(1), ", by another fight");
  fight(minutes(20));
  fight(minutes(21), ", by NetworkManager (process 412)");
  fight(minutes(22));
  ASSERT_THAT(drift_.open(), SizeIs(1));
  EXPECT_EQ(drift_.open()[0].why,
            "corrected 3 times within 10 minutes and changed again, by NetworkManager (process "
            "412)");
}

TEST_F(DriftTrackerTest, ThreeCorrectionsOverLongerAreNone) {
  fight(minutes(1));
  fight(minutes(6));
  fight(minutes(12));
  fight(minutes(18));
  EXPECT_THAT(drift_.open(), IsEmpty());
}

TEST_F(DriftTrackerTest, AContestThatGoesOnIsLeftTwiceAsLong) {
  auto when = minutes(0);
  std::vector<minutes> holds;
  for (int contest = 0; contest < 5; ++contest) {
    for (int i = 0; i < 3; ++i) {
      fight(when += minutes(1));
    }
    const auto until = drift_.open().at(0).held_until.boot;
    holds.push_back(std::chrono::duration_cast<minutes>(until - when));
    drift_.differs(step_, "", at(until - seconds(1)), false);
    when = std::chrono::duration_cast<minutes>(until);
  }
  EXPECT_THAT(holds, testing::ElementsAre(minutes(30), minutes(60), minutes(120), minutes(240),
                                          minutes(240)));
}

TEST_F(DriftTrackerTest, AContestEndsWithItsTimeWhereNobodyWritesAnyMore) {
  for (const auto when : {1, 2, 3}) {
    fight(minutes(when));
  }
  drift_.end_pass({}, at(minutes(20)));
  EXPECT_THAT(drift_.open(), SizeIs(1));
  drift_.end_pass({}, at(minutes(33)));
  EXPECT_THAT(drift_.open(), IsEmpty());
  // Calm long enough: the next contest begins with the shortest time again.
  drift_.end_pass({}, at(minutes(50)));
  for (const auto when : {51, 52, 53}) {
    fight(minutes(when));
  }
  EXPECT_EQ(drift_.open().at(0).held_until.boot, minutes(83));
}

TEST_F(DriftTrackerTest, SettingUpADeviceThatCameBackIsNoCorrection) {
  for (int i = 1; i <= 20; ++i) {
    drift_.corrected(step_, "", "", Occasion::kDevice, at(seconds(i)));
    drift_.end_pass({}, at(seconds(i)));
  }
  EXPECT_THAT(drift_.open(), IsEmpty());
  fight(minutes(1));
  fight(minutes(2));
  EXPECT_THAT(drift_.open(), IsEmpty());
}

TEST_F(DriftTrackerTest, ACarrierThatChangesIsNoContestUnlessThatGoesOn) {
  const auto follow_carrier = [this](int second) {
    drift_.corrected(step_, "", "", Occasion::kCarrier, at(seconds(second)));
    drift_.end_pass({}, at(seconds(second)));
  };
  for (int i = 1; i <= 11; ++i) {
    follow_carrier(i);
  }
  EXPECT_THAT(drift_.open(), IsEmpty());
  follow_carrier(12);
  ASSERT_THAT(drift_.open(), SizeIs(1));
  EXPECT_EQ(drift_.open()[0].why, "corrected 12 times within 10 minutes and changed again");
}

TEST_F(DriftTrackerTest, AFailureIsTriedAgainLaterAndLater) {
  drift_.failed(step_, "", "EBUSY", at(seconds(100)));
  EXPECT_EQ(drift_.open().at(0).state, Drift::State::kFailed);
  EXPECT_EQ(drift_.next_due(), seconds(105));
  EXPECT_TRUE(drift_.is_held(kName, at(seconds(104))));
  drift_.end_pass({kName}, at(seconds(100)));
  drift_.failed(step_, "", "EBUSY", at(seconds(105)));
  EXPECT_EQ(drift_.next_due(), seconds(115));
  drift_.corrected(step_, "", "", Occasion::kWriter, at(seconds(115)));
  drift_.end_pass({}, at(seconds(115)));
  EXPECT_THAT(drift_.open(), IsEmpty());
  EXPECT_FALSE(drift_.next_due());
}

TEST_F(DriftTrackerTest, WhatIsOnlyToldStaysOpenUntilItIsRight) {
  drift_.differs(step_, "cluster.yaml:9:3", at(seconds(1)), false);
  drift_.end_pass({kName}, at(seconds(1)));
  drift_.differs(step_, "cluster.yaml:9:3", at(seconds(9)), false);
  drift_.end_pass({kName}, at(seconds(9)));
  ASSERT_THAT(drift_.open(), SizeIs(1));
  EXPECT_EQ(drift_.open()[0].since.boot, seconds(1));
  EXPECT_EQ(drift_.open()[0].have, "1500");
  drift_.end_pass({}, at(seconds(10)));
  EXPECT_THAT(drift_.open(), IsEmpty());
}

TEST_F(DriftTrackerTest, WhoSaysOtherwiseIsNamedFromTheSecondCorrectionOn) {
  int asked = 0;
  std::optional<ConflictingSetting> conflict;
  const auto look = [&] {
    drift_.name_conflicts([&](const plan::ResourceKey& of) {
      ++asked;
      EXPECT_EQ(of.kind + " " + of.key, kName);
      return conflict;
    });
  };
  fight(minutes(1));
  look();
  EXPECT_EQ(asked, 0);
  fight(minutes(2));
  conflict = ConflictingSetting{"x.conf:3 sets 1500", "change x.conf:3"};
  look();
  // While it starts its profile again, NetworkManager says of none that it is active.
  conflict.reset();
  fight(minutes(3));
  look();
  EXPECT_EQ(asked, 2);
  ASSERT_THAT(drift_.open(), SizeIs(1));
  EXPECT_EQ(drift_.open()[0].why,
            "corrected 3 times within 10 minutes and changed again; x.conf:3 sets 1500");
  EXPECT_EQ(drift_.open()[0].remedy, "change x.conf:3");
}

TEST_F(DriftTrackerTest, WhoSaysOtherwiseIsNamedWhereACorrectionDoesNotHold) {
  drift_.failed(step_, "", "mtu enp1s0f0np0 does not hold", at(minutes(1)));
  drift_.name_conflicts([](const plan::ResourceKey&) {
    return ConflictingSetting{"x.conf:3 sets 1500", "change x.conf:3"};
  });
  EXPECT_EQ(drift_.open().at(0).why, "mtu enp1s0f0np0 does not hold; x.conf:3 sets 1500");
}

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
