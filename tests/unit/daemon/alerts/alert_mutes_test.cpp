#include "daemon/alerts/alert_mutes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

state::Mute mute_of(const std::string& id, const Moment& since, std::chrono::milliseconds lasts,
                    const std::string& node = "") {
  return {.id = id,
          .alert = "SparkResourceFailed",
          .node = node,
          .since = since,
          .until = later(since, lasts),
          .reason = "cabling",
          .by = "alice",
          .asked = since.wall.time_since_epoch()};
}

/// One daemon: its alerts and its mutes.
class AlertMutesTest : public testing::Test {
 protected:
  /// What receivers are told at that moment: "raised mtu a", a line each.
  std::vector<std::string> told(const Moment& now) {
    auto transitions = store_.update(state_, now);
    changes_.clear();
    for (const auto& change : mutes_.update(state_, store_, now)) {
      changes_.push_back(change.how.empty() ? "begins" : change.how);
    }
    const auto muted = [this](const Alert& alert) { return mutes_.covers(alert); };
    withheld_ = store_.withhold(transitions, muted, now).size();
    std::vector<std::string> lines;
    for (const auto& transition : transitions) {
      lines.push_back((transition.what == Transition::What::kRaised ? "raised " : "resolved ") +
                      std::string(label_of(transition.alert, "key")));
    }
    return lines;
  }

  void restart(const Moment& now, const std::string& boot = "boot") {
    const auto alerts = store_.to_json("boot");
    const auto mutes = mutes_.to_json();
    store_ = *AlertStore::from_json(alerts, boot, now);
    mutes_ = AlertMutes();
    mutes_.restore(mutes, now);
  }

  void fail(const std::vector<std::string>& keys) {
    state_ = healthy();
    state_.mutes_asked = asked_;
    for (const auto& key : keys) {
      state_.drifts.push_back(failed_mtu(at(5s)));
      state_.drifts.back().key = key;
    }
  }
  void ask(std::vector<state::Mute> mutes) {
    asked_ = std::move(mutes);
    state_.mutes_asked = asked_;
  }

  static constexpr const char* kFailed = "SR-ALERT-002";
  std::vector<state::Mute> asked_;
  NodeState state_ = healthy();
  AlertStore store_;
  AlertMutes mutes_;
  std::vector<std::string> changes_;
  std::size_t withheld_ = 0;
};

TEST_F(AlertMutesTest, NobodyIsToldOfWhatIsMutedUntilItsTimeIsOver) {
  ask({mute_of(kFailed, at(10s), 1h)});
  fail({"a"});
  EXPECT_THAT(told(at(20s)), IsEmpty());
  EXPECT_THAT(changes_, ElementsAre("begins"));
  EXPECT_EQ(withheld_, 1U);
  EXPECT_EQ(mutes_.due(), 10s + 1h);
  EXPECT_THAT(told(at(1h)), IsEmpty());
  EXPECT_EQ(withheld_, 0U) << "it began once";
  EXPECT_THAT(told(at(1h + 10s)), ElementsAre("raised a"));
  EXPECT_THAT(changes_, ElementsAre("its time is over"));
  EXPECT_EQ(mutes_.due(), std::nullopt);
  ask({});
  EXPECT_THAT(told(at(1h + 20s)), IsEmpty()) << "told once";
  EXPECT_THAT(changes_, IsEmpty()) << "its end too";
}

TEST_F(AlertMutesTest, OtherAlertsAreTold) {
  ask({mute_of("SR-ALERT-003", at(10s), 1h)});
  fail({"a"});
  EXPECT_THAT(told(at(20s)), ElementsAre("raised a"));
}

TEST_F(AlertMutesTest, OfOneNodeTheAlertsOfOthersAreTold) {
  ask({mute_of(kFailed, at(10s), 1h, "spark2")});
  fail({"a"});
  EXPECT_THAT(told(at(20s)), ElementsAre("raised a"));
  ask({mute_of(kFailed, at(30s), 1h, "spark1")});
  fail({"a", "b"});
  EXPECT_THAT(told(at(40s)), IsEmpty());
}

TEST_F(AlertMutesTest, WhatEndsWhileItIsMutedSendsNoEnd) {
  ask({mute_of(kFailed, at(10s), 1h)});
  fail({"a"});
  EXPECT_THAT(told(at(20s)), IsEmpty());
  fail({});
  EXPECT_THAT(told(at(2min)), IsEmpty());
  EXPECT_THAT(told(at(4min)), IsEmpty());
  EXPECT_EQ(withheld_, 1U);
  ask({});
  EXPECT_THAT(told(at(5min)), IsEmpty()) << "nor later";
  fail({"a"});
  EXPECT_THAT(told(at(6min)), ElementsAre("raised a")) << "a new beginning is told";
}

TEST_F(AlertMutesTest, WhatWasToldBeforeIsToldAgainWhereItOutlastsTheMute) {
  fail({"a"});
  EXPECT_THAT(told(at(10s)), ElementsAre("raised a"));
  ask({mute_of(kFailed, at(20s), 1h)});
  EXPECT_THAT(told(at(20s)), IsEmpty());
  ask({});
  EXPECT_THAT(told(at(30s)), ElementsAre("raised a"));
  EXPECT_THAT(changes_, ElementsAre("ended by hand"));
}

TEST_F(AlertMutesTest, AnEndThatComesWithTheMuteIsNotTold) {
  fail({"a"});
  EXPECT_THAT(told(at(10s)), ElementsAre("raised a"));
  fail({});
  EXPECT_THAT(told(at(20s)), IsEmpty());
  ask({mute_of(kFailed, at(70s), 1h)});
  EXPECT_THAT(told(at(80s)), IsEmpty());
  EXPECT_EQ(withheld_, 1U);
}

TEST_F(AlertMutesTest, EndsWhereMoreAreRaisedThanWhenItBegan) {
  fail({"a", "b"});
  told(at(10s));
  ask({mute_of(kFailed, at(20s), 1h)});
  EXPECT_THAT(told(at(20s)), IsEmpty());
  EXPECT_EQ(mutes_.records().front().subjects, 2U);
  fail({"b", "c"});
  EXPECT_THAT(told(at(30s)), ElementsAre("raised c", "raised a", "raised b"))
      << "the first one is not over yet: three are raised";
  EXPECT_THAT(changes_, ElementsAre("3 are raised now, and 2 were when it was muted"));
  EXPECT_THAT(mutes_.records(), IsEmpty());
  EXPECT_THAT(mutes_.records_of(asked_), IsEmpty()) << "though its file still asks for it";
  EXPECT_THAT(told(at(40s)), IsEmpty());
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(AlertMutesTest, AsManyOthersDoNotEndIt) {
  fail({"a"});
  told(at(10s));
  ask({mute_of(kFailed, at(20s), 1h)});
  EXPECT_THAT(told(at(20s)), IsEmpty());
  fail({});
  told(at(30s));
  told(at(2min));
  fail({"b"});
  EXPECT_THAT(told(at(3min)), IsEmpty());
}

TEST_F(AlertMutesTest, OneOfWhatIsNotRaisedCoversWhatComes) {
  ask({mute_of(kFailed, at(10s), 1h)});
  EXPECT_THAT(told(at(20s)), IsEmpty());
  EXPECT_EQ(mutes_.records().front().subjects, 0U);
  fail({"a", "b", "c"});
  EXPECT_THAT(told(at(30s)), IsEmpty());
  EXPECT_EQ(mutes_.records().front().raised, 3U);
}

TEST_F(AlertMutesTest, EndsWhereItIsMoreSevere) {
  fail({"a"});
  told(at(10s));
  ask({mute_of(kFailed, at(20s), 1h)});
  EXPECT_THAT(told(at(20s)), IsEmpty());
  // As a later version has it: the severity of an alert goes by its name.
  auto json = mutes_.to_json();
  json[0]["severity"] = "critical";
  AlertMutes severe;
  severe.restore(json, at(20s));
  EXPECT_THAT(severe.update(state_, store_, at(30s)), IsEmpty()) << "less severe is no worse";
  auto critical = healthy();
  critical.verdict = gate::Verdict::kNotReady;
  AlertStore store;
  store.update(critical, at(40s));
  critical.mutes_asked = {mute_of("SR-ALERT-001", at(20s), 1h)};
  json[0]["id"] = "SR-ALERT-001";
  json[0]["severity"] = "warning";
  AlertMutes mutes;
  mutes.restore(json, at(20s));
  const auto changes = mutes.update(critical, store, at(50s));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes.front().how, "it is critical now, and was warning when it was muted");
}

TEST_F(AlertMutesTest, OutlivesARestartWithItsCount) {
  fail({"a"});
  told(at(10s));
  ask({mute_of(kFailed, at(20s), 1h)});
  told(at(20s));
  restart(at(30s));
  EXPECT_THAT(told(at(30s)), IsEmpty());
  EXPECT_THAT(changes_, IsEmpty()) << "it does not begin again";
  EXPECT_EQ(mutes_.records().front().mute.reason, "cabling");
  fail({"a", "b"});
  EXPECT_THAT(told(at(40s)), ElementsAre("raised b", "raised a")) << "one was when it began";
  restart(at(50s));
  EXPECT_THAT(told(at(50s)), IsEmpty());
  EXPECT_THAT(mutes_.records(), IsEmpty()) << "what has ended stays ended";
}

TEST_F(AlertMutesTest, OneThatEndedWhileNoDaemonRanIsOver) {
  ask({mute_of(kFailed, at(10s), 1h)});
  fail({"a"});
  told(at(20s));
  restart(at(2h));
  ask({});
  EXPECT_THAT(told(at(2h)), ElementsAre("raised a"));
  EXPECT_THAT(changes_, ElementsAre("its time is over"));
}

TEST_F(AlertMutesTest, AFileThatCannotBeReadMutesNothing) {
  ask({mute_of(kFailed, at(10s), 1h)});
  fail({"a"});
  told(at(20s));
  ask({});
  state_.mutes_error = "'mutes.json' is damaged";
  EXPECT_THAT(told(at(30s)), ElementsAre("raised a"));
  EXPECT_THAT(changes_, ElementsAre("'mutes.json' is damaged"));
}

TEST_F(AlertMutesTest, TakesNoDamagedRecordAndNotMoreThanThereCanBe) {
  AlertMutes mutes;
  mutes.restore({{"id", 7}}, at(0s));
  mutes.restore(nlohmann::json::parse(R"([7, {}, {"id": 1}, null])"), at(0s));
  EXPECT_THAT(mutes.records(), IsEmpty());
  ask({mute_of(kFailed, at(10s), 1h)});
  told(at(20s));
  auto many = nlohmann::json::array();
  for (std::size_t i = 0; i < 2 * state::kMostMutes; ++i) many.push_back(mutes_.to_json()[0]);
  mutes.restore(many, at(20s));
  EXPECT_EQ(mutes.records().size(), state::kMostMutes);
}

}  // namespace
}  // namespace spark::daemon
