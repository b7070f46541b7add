// A new file beside a running job, by the whole Reconciler.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/alerts/conditions.hpp"
#include "daemon/alerts/sinks/alert_formats.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/export/publish.hpp"
#include "daemon/news.hpp"
#include "daemon/reconcile/reconciler.hpp"
#include "fake/fake_pass.hpp"
#include "fake/names.hpp"
#include "node_state/problems.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/pause.hpp"

namespace spark::daemon {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::SizeIs;

using test::kRail;

constexpr const char* kTwin = "enP2p1s0f0np0";  // the other rail of the cage
constexpr const char* kDevice = "rocep1s0f0";

class ReconcilerWaitsTest : public test::PassTest {
 protected:
  ReconcilerWaitsTest() {
    host_.sysctl().set("kernel.random.boot_id", "first");
    put(text_);
    start_daemon();
    pass();
  }

  void start_daemon() {
    reconciler_.emplace(ports_, ReconcilerOptions{.file = protocol::kDefaultFile,
                                                  .version = "0",
                                                  .removal_rest = std::chrono::seconds(0)});
  }
  PassOutcome pass() { return reconciler_->pass({.triggers = {{"test", 1}}, .writers = writers_}); }
  void put(const std::string& text) { host_.files().put(protocol::kDefaultFile, text); }

  /// The pair's file with another MTU, and more to lock.
  std::string other_text() {
    auto text = test::pair_text();
    text.replace(text.find("9000"), 4, "4000");
    return text.replace(text.find("268435456"), 9, "134217728");
  }
  void begin_job(const std::string& device = kDevice) {
    host_.processes().begin({.pid = 4711,
                             .name = "python3",
                             .user = "alice",
                             .container = "docker 3f2a1b0c9d8e",
                             .unit = "docker-3f2a.scope"});
    host_.rdma().set_users(device, 4, 4711);
  }
  void end_job(const std::string& device = kDevice) {
    host_.processes().end(4711);
    host_.rdma().set_users(device, 0);
  }
  std::uint32_t mtu_of(const std::string& link) {
    host::View view(ports_);
    return view.link(link)->mtu;
  }
  std::string text_of_sysctl() { return ports_.sysctl.read("net.core.rmem_max")->text; }
  bool has_address(const std::string& address) {
    host::View view(ports_);
    const auto prefix = *IpPrefix::parse(address);
    return std::ranges::any_of(
        *view.addresses(), [&](const host::AddressInfo& info) { return info.address == prefix; });
  }

  std::map<int, std::string> writers_;
  std::optional<Reconciler> reconciler_;
};

TEST_F(ReconcilerWaitsTest, ANewFileComesIntoForceWithoutWhatDisturbsTheJob) {
  begin_job();
  put(other_text());
  const auto outcome = pass();
  const auto& state = outcome.state;
  EXPECT_EQ(state.file.digest, config::parse(other_text()).cluster.digest);
  EXPECT_EQ(mtu_of(kRail), 9000U);
  EXPECT_EQ(mtu_of(kTwin), 4000U) << "nobody uses that rail";
  EXPECT_EQ(text_of_sysctl(), "134217728");
  EXPECT_THAT(state.drifts, IsEmpty());
  EXPECT_TRUE(outcome.waits);
  ASSERT_THAT(state.disturb_waits, SizeIs(1));
  const auto& wait = state.disturb_waits.front();
  EXPECT_EQ(change_text(wait), "mtu enp1s0f0np0: 9000 → 4000");
  EXPECT_THAT(reasons_of(wait), ElementsAre("a job uses rail 0 of cage 0 (enp1s0f0np0)"));
}

TEST_F(ReconcilerWaitsTest, NothingThatLeavesTheNodeNamesTheJob) {
  const auto before = pass().state;
  begin_job();
  put(other_text());
  auto state = pass().state;
  state.disturb_patience = std::chrono::hours(-1);  // so that there is an alert too
  const auto now = state.pass_at;
  ASSERT_TRUE(publish(host_.files(), {.at = now, .state = state}));
  const auto alerts = conditions(state);
  ASSERT_THAT(alerts, Contains(Field(&Alert::name, "SparkDisturbWaits")));
  std::vector<std::string> told;
  for (const auto& [path, text] : host_.files().all()) {
    if (path.starts_with("/run/spark-reconcile/")) told.push_back(text);
  }
  EXPECT_THAT(told, SizeIs(testing::Ge(4U))) << "status, metrics, the peers' and the page's";
  for (const auto& alert : alerts) {
    const Transition raised{.alert = alert, .at = now};
    told.push_back(dump(webhook_body(raised, "here")) + dump(hook_input(raised)) +
                   dump(alertmanager_item(alert, now.wall)) + message_of(raised));
  }
  for (const auto& item : news(before, state)) told.push_back(item.text + item.remedy);
  for (const auto& problem : node_state::problems_of(state, now)) told.push_back(problem.why);
  for (const auto* name : {"python3", "alice", "3f2a1b0c9d8e", "docker-3f2a", "(pid ", "\"pid\""}) {
    EXPECT_THAT(told, Each(Not(HasSubstr(name))));
  }
  EXPECT_THAT(told, Contains(HasSubstr("a job uses rail 0 of cage 0")));
}

TEST_F(ReconcilerWaitsTest, WhatWaitsIsLeftAloneUntilTheJobEnds) {
  begin_job();
  put(other_text());
  pass();
  host_.forget_writes();
  EXPECT_FALSE(reconciler_->users_changed());
  EXPECT_FALSE(reconciler_->correct_network({}));
  const auto outcome = pass();
  EXPECT_FALSE(outcome.changed);
  EXPECT_EQ(host_.writes(), 0U);
  EXPECT_THAT(outcome.state.disturb_waits, SizeIs(1));
  end_job();
  EXPECT_TRUE(reconciler_->users_changed());
  const auto after = pass();
  EXPECT_EQ(mtu_of(kRail), 4000U);
  EXPECT_FALSE(after.waits);
  EXPECT_THAT(after.state.disturb_waits, IsEmpty());
  EXPECT_THAT(after.state.drifts, IsEmpty());
  EXPECT_THAT(after.state.counters.drifts, Not(Contains(Key("mtu")))) << "it was no drift";
  EXPECT_EQ(after.state.changes.front().cause, ChangeRecord::Cause::kFile);
  EXPECT_FALSE(*host_.files().read(protocol::kDisturbWaitsFile));
}

TEST_F(ReconcilerWaitsTest, TheHistoryHasBothPartsOfTheFile) {
  begin_job();
  put(other_text());
  pass();
  end_job();
  pass();
  const auto history = state::read_history(host_.files(), "spark1").value();
  ASSERT_THAT(history, SizeIs(3));
  EXPECT_EQ(history[1].digest, history[2].digest);
  EXPECT_EQ(history[2].changes, 1U);
}

TEST_F(ReconcilerWaitsTest, DriftNeverWaits) {
  begin_job();
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 1500));
  EXPECT_THAT(pass().state.disturb_waits, IsEmpty());
  EXPECT_EQ(mtu_of(kRail), 9000U);
}

TEST_F(ReconcilerWaitsTest, DriftNeverWaitsThoughANewFileComesWithIt) {
  begin_job();
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 1500));
  auto text = test::pair_text();
  put(text.replace(text.find("268435456"), 9, "134217728"));
  EXPECT_THAT(pass().state.disturb_waits, IsEmpty());
  EXPECT_EQ(mtu_of(kRail), 9000U);
}

TEST_F(ReconcilerWaitsTest, ABootNeverWaits) {
  host_.sysctl().set("kernel.random.boot_id", "second");
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 1500));
  begin_job();
  start_daemon();
  EXPECT_THAT(pass().state.disturb_waits, IsEmpty());
  EXPECT_EQ(mtu_of(kRail), 9000U);
}

TEST_F(ReconcilerWaitsTest, ARestartOfTheDaemonEndsNoJob) {
  begin_job();
  put(other_text());
  const auto since = pass().state.disturb_waits.front().since;
  start_daemon();
  const auto state = pass().state;
  EXPECT_EQ(mtu_of(kRail), 9000U);
  ASSERT_THAT(state.disturb_waits, SizeIs(1));
  EXPECT_EQ(state.disturb_waits.front().since.boot, since.boot);
  end_job();
  pass();
  EXPECT_EQ(mtu_of(kRail), 4000U);
}

TEST_F(ReconcilerWaitsTest, AfterARebootNothingWaits) {
  begin_job();
  put(other_text());
  pass();
  host_.sysctl().set("kernel.random.boot_id", "second");
  start_daemon();
  EXPECT_THAT(pass().state.disturb_waits, IsEmpty());
  EXPECT_EQ(mtu_of(kRail), 4000U);
}

TEST_F(ReconcilerWaitsTest, WhereNobodyCanTellAJobMayBeThere) {
  host_.rdma().hide_users();
  put(other_text());
  const auto state = pass().state;
  EXPECT_EQ(mtu_of(kRail), 9000U);
  ASSERT_THAT(state.disturb_waits, SizeIs(2));
  EXPECT_THAT(reasons_of(state.disturb_waits).front(),
              HasSubstr("cannot be read (the kernel does not tell): a job may"));
  host_.rdma().hide_users(false);
  EXPECT_TRUE(reconciler_->users_changed());
  pass();
  EXPECT_EQ(mtu_of(kRail), 4000U);
}

TEST_F(ReconcilerWaitsTest, ALaterFileReplacesWhatWaits) {
  begin_job();
  put(other_text());
  pass();
  put(test::pair_text());
  const auto state = pass().state;
  EXPECT_THAT(state.disturb_waits, IsEmpty());
  EXPECT_EQ(mtu_of(kRail), 9000U);
  EXPECT_EQ(mtu_of(kTwin), 9000U);
}

TEST_F(ReconcilerWaitsTest, AnApplyByHandCarriesItOut) {
  begin_job();
  put(other_text());
  pass();
  ASSERT_EQ(apply(other_text()).outcome, apply::Report::Outcome::kApplied);
  EXPECT_THAT(pass().state.disturb_waits, IsEmpty());
  EXPECT_EQ(mtu_of(kRail), 4000U);
}

TEST_F(ReconcilerWaitsTest, AReleaseEndsTheWait) {
  begin_job();
  put(other_text());
  pass();
  ASSERT_EQ(test::release_on(ports_, test::node_on(host_, other_text())).outcome,
            apply::Report::Outcome::kApplied);
  EXPECT_EQ(mtu_of(kRail), 1500U);
  EXPECT_THAT(pass().state.disturb_waits, IsEmpty());
  end_job();
  pass();
  EXPECT_EQ(mtu_of(kRail), 1500U);
}

TEST_F(ReconcilerWaitsTest, APauseHoldsWhatTheJobHasFreed) {
  begin_job();
  put(other_text());
  pass();
  const auto start = now();
  ASSERT_TRUE(
      state::write_pause(ports_, {.since = start, .until = later(start, std::chrono::hours(2))}));
  end_job();
  pass();
  EXPECT_EQ(mtu_of(kRail), 9000U);
  ASSERT_TRUE(state::remove_pause(host_.files()));
  pass();
  EXPECT_EQ(mtu_of(kRail), 4000U);
}

TEST_F(ReconcilerWaitsTest, WhatFailsAfterTheWaitIsTriedAgainAndStillWaitsForAJob) {
  begin_job();
  put(other_text());
  pass();
  end_job();
  host_.refuse_if("mtu");
  const auto failed = pass().state;
  ASSERT_THAT(failed.drifts, SizeIs(1));
  EXPECT_EQ(failed.drifts.front().state, Drift::State::kFailed);
  host_.refuse_if("");
  begin_job();
  EXPECT_THAT(pass().state.disturb_waits, SizeIs(1));
}

TEST_F(ReconcilerWaitsTest, AnAddressThatWaitsToGoIsOursUntilThen) {
  begin_job("roceP2p1s0f0");
  auto text = test::pair_text();
  const std::string before = "203.0.113.0/24";
  put(text.replace(text.find(before), before.size(), "203.0.113.128/25"));
  const auto state = pass().state;
  ASSERT_THAT(state.file.refused, IsEmpty());
  EXPECT_TRUE(has_address("203.0.113.139/25"));
  EXPECT_TRUE(has_address("203.0.113.11/24")) << "the job uses it";
  ASSERT_THAT(state.disturb_waits, SizeIs(1));
  start_daemon();
  EXPECT_THAT(pass().state.disturb_waits, SizeIs(1));
  end_job("roceP2p1s0f0");
  pass();
  EXPECT_FALSE(has_address("203.0.113.11/24"));
  EXPECT_TRUE(has_address("203.0.113.139/25"));
  EXPECT_THAT(pass().state.disturb_waits, IsEmpty());
}

/// Where the owner has programs in ask.d; the test runs them, as the daemon does.
class ReconcilerAsksTest : public ReconcilerWaitsTest {
 protected:
  ReconcilerAsksTest() {
    reconciler_.emplace(ports_, ReconcilerOptions{.file = protocol::kDefaultFile,
                                                  .version = "0",
                                                  .is_anybody_asked = [] { return true; }});
    pass();
  }

  /// The pass that the answer asks for. `why`: of a no.
  PassOutcome answer(const AskOrder& order, const std::string& why) {
    return reconciler_->pass({.triggers = {{"ask", 1}},
                              .writers = writers_,
                              .answer = AskAnswer{.order = order, .why = why}});
  }
};

TEST_F(ReconcilerAsksTest, AProgramOfAskDIsAskedLast) {
  const std::string why = "'ask' says not now";
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 1500));
  EXPECT_FALSE(pass().question) << "neither drift nor a boot asks";
  begin_job();
  put(other_text());
  const auto asks = pass();
  ASSERT_TRUE(asks.question);
  EXPECT_THAT(asks.question->links, ElementsAre(kTwin)) << "the other rail has a job";
  EXPECT_EQ(text_of_sysctl(), "268435456") << "nothing of the file is made yet";
  const auto outcome = answer(*asks.question, why);
  EXPECT_FALSE(outcome.question);
  EXPECT_EQ(mtu_of(kTwin), 9000U);
  EXPECT_EQ(text_of_sysctl(), "134217728");
  ASSERT_THAT(outcome.state.disturb_waits, SizeIs(2));
  EXPECT_THAT(reasons_of(outcome.state.disturb_waits), Contains(why));
  ASSERT_TRUE(outcome.again_in);
  EXPECT_LE(*outcome.again_in, std::chrono::seconds(30));
  end_job();
  const auto asks_again = pass();
  ASSERT_TRUE(asks_again.question);
  EXPECT_THAT(asks_again.question->links, SizeIs(2)) << "of both rails now: another question";
  EXPECT_EQ(mtu_of(kTwin), 9000U);
  EXPECT_THAT(reasons_of(asks_again.state.disturb_waits),
              ElementsAre("the programs of ask.d have not answered yet"));
  EXPECT_THAT(answer(*asks_again.question, "").state.disturb_waits, IsEmpty());
  EXPECT_EQ(mtu_of(kRail), 4000U);
  EXPECT_EQ(mtu_of(kTwin), 4000U);
}

TEST_F(ReconcilerAsksTest, DriftIsCorrectedWhileAProgramRuns) {
  put(other_text());
  const auto asks = pass();
  ASSERT_TRUE(asks.question);
  ASSERT_TRUE(host_.netlink().remove_address(kRail, *IpPrefix::parse("198.51.100.11/24")));
  EXPECT_TRUE(reconciler_->correct_network({}));
  EXPECT_TRUE(has_address("198.51.100.11/24"));
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 1500));
  EXPECT_EQ(pass().question, asks.question) << "it has no answer yet";
  EXPECT_EQ(mtu_of(kRail), 9000U) << "as the file before says";
  answer(*asks.question, "");
  EXPECT_EQ(mtu_of(kRail), 4000U);
  EXPECT_EQ(text_of_sysctl(), "134217728");
}

TEST_F(ReconcilerAsksTest, AnAnswerAboutAnotherFileCountsForNothing) {
  put(other_text());
  const auto asks = pass();
  ASSERT_TRUE(asks.question);
  auto text = other_text();
  put(text.replace(text.find("4000"), 4, "3000"));
  const auto later = answer(*asks.question, "");
  EXPECT_EQ(mtu_of(kRail), 9000U);
  ASSERT_TRUE(later.question);
  EXPECT_NE(later.question->digest, asks.question->digest);
  answer(*later.question, "");
  EXPECT_EQ(mtu_of(kRail), 3000U);
}

TEST_F(ReconcilerAsksTest, NobodyIsAskedOfAFileThatDisturbsNoRail) {
  auto text = test::pair_text();
  put(text.replace(text.find("268435456"), 9, "134217728"));
  EXPECT_FALSE(pass().question);
  EXPECT_EQ(text_of_sysctl(), "134217728");
}

TEST_F(ReconcilerWaitsTest, TheGatesOwnProbeIsNoJob) {
  host_.processes().begin({.pid = 812, .name = "spark-verbs-pro", .user = "root"});
  host_.rdma().set_users(kDevice, 1, 812);
  put(other_text());
  EXPECT_THAT(pass().state.disturb_waits, IsEmpty());
  EXPECT_EQ(mtu_of(kRail), 4000U);
}

}  // namespace
}  // namespace spark::daemon
