#include "daemon/reconcile/reconciler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apply/recovery.hpp"
#include "apply/rollback.hpp"
#include "config/parse/parse.hpp"
#include "daemon/reconcile/observe_gate.hpp"
#include "fake/fake_pass.hpp"
#include "fake/names.hpp"
#include "plan/release.hpp"
#include "protocol/paths.hpp"
#include "state/by_hand.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"
#include "state/pause.hpp"

namespace spark::daemon {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

using test::kRail;

class ReconcilerTest : public test::PassTest {
 protected:
  ReconcilerTest() { host_.files().put(protocol::kDefaultFile, text_); }

  PassOutcome pass() { return reconciler_.pass({.triggers = {{"test", 1}}, .writers = writers_}); }

  PassOutcome gate(gate::GateOptions::Depth depth) {
    const auto file = config::parse(test::pair_text());
    return reconciler_.take_verdict(observe_gate(ports_, file.cluster, "", depth, cabling_));
  }

  gate::CablingMemory cabling_;

  /// Somebody does that, until the resource is contested.
  PassOutcome fight(const std::function<void()>& change) {
    PassOutcome outcome;
    for (int i = 0; i < 3; ++i) {
      change();
      outcome = pass();
    }
    return outcome;
  }

  host::LinkInfo link(const std::string& name) {
    auto ports = host_.host();
    return *host::View(ports).link(name);
  }
  void remove_address() {
    ASSERT_TRUE(host_.netlink().remove_address(kRail, *IpPrefix::parse("198.51.100.11/24")));
  }
  /// The pair's file with another MTU.
  static std::string other_text() {
    auto text = test::pair_text();
    return text.replace(text.find("9000"), 4, "4000");
  }
  void confirm() {
    const auto open = apply::find_open_journal(host_.files()).value();
    ASSERT_TRUE(apply::tell_in_force(host_.files(), *open, state::Generation::Outcome::kApplied));
    ASSERT_TRUE(state::remove_journal(host_.files(), "spark1"));
  }
  /// As it is where 0.2.0 applied by hand, and no daemon ever ran.
  void forget_what_is_in_force() {
    for (const auto* path : {protocol::kInForceRecord, protocol::kLastGoodFile})
      host_.files().erase(path);
  }
  void apply_by_hand(std::chrono::milliseconds confirm_within) {
    apply_by_hand(other_text(), confirm_within);
  }
  void apply_by_hand(const std::string& text,
                     std::optional<std::chrono::milliseconds> confirm_within = std::nullopt) {
    const auto report = apply(text, {.file = protocol::kDefaultFile,
                                     .text = text,
                                     .by = "alice",
                                     .confirm_within = confirm_within});
    ASSERT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  }
  void wait_until_overdue() {
    while (apply::journal_state_of(host_.files(),
                                   apply::find_open_journal(host_.files()).value().value(), now(),
                                   state::boot_id(ports_)) != apply::JournalState::kOverdue) {
    }
  }

  void release_by_hand(const std::string& change_id = {}) {
    const auto report = test::release_on(
        ports_, node(),
        {.file = protocol::kDefaultFile, .text = text_, .by = "alice", .change_id = change_id});
    ASSERT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  }

  void set_mtu(std::uint32_t bytes) { ASSERT_TRUE(host_.netlink().set_mtu(kRail, bytes)); }
  std::uint32_t mtu() {
    auto ports = host_.host();
    host::View view(ports);
    return view.link(kRail)->mtu;
  }

  std::map<int, std::string> writers_;
  Reconciler reconciler_{
      ports_,
      {.file = protocol::kDefaultFile, .version = "0", .removal_rest = std::chrono::seconds(0)}};
};

TEST_F(ReconcilerTest, AppliesTheFileInItsFirstPassAndThenTouchesNothing) {
  const auto first = pass();
  EXPECT_TRUE(first.changed);
  EXPECT_EQ(first.state.node, "spark1");
  EXPECT_THAT(first.state.drifts, IsEmpty());
  EXPECT_THAT(first.state.changes, Not(IsEmpty()));
  EXPECT_EQ(first.state.changes.front().cause, ChangeRecord::Cause::kFile);
  host_.forget_writes();
  const auto second = pass();
  EXPECT_FALSE(second.changed);
  EXPECT_EQ(host_.writes(), 0U);
  EXPECT_EQ(second.state.counters.triggers.at("test"), 2U);
}

TEST_F(ReconcilerTest, PutsDriftRight) {
  pass();
  set_mtu(1500);
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_EQ(outcome.state.changes.front().cause, ChangeRecord::Cause::kDrift);
  EXPECT_EQ(outcome.state.changes.front().before, "1500");
  EXPECT_THAT(outcome.state.drifts, IsEmpty());
}

TEST_F(ReconcilerTest, CountsAsDriftWhatSomebodyChangesBackAtOnce) {
  pass();
  const auto change_back = [this] { host_.sysctl().set("net.core.rmem_max", "4711"); };
  host_.add_overwriter("net.core.rmem_max", change_back);
  change_back();
  const auto state = pass().state;
  EXPECT_THAT(state.counters.drifts, Contains(Pair("sysctl", 1)));
  EXPECT_THAT(state.counters.failures, Not(Contains(Key("sysctl"))));
  EXPECT_TRUE(state.changes.front().overwritten);
  EXPECT_THAT(state.changes.front().failure, HasSubstr("net.core.rmem_max"));
}

TEST_F(ReconcilerTest, LeavesAContestedResourceAlone) {
  pass();
  for (int i = 0; i < 3; ++i) {
    set_mtu(1500);
    pass();
  }
  set_mtu(1500);
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 1500U);
  ASSERT_THAT(outcome.state.drifts, SizeIs(1));
  EXPECT_EQ(outcome.state.drifts[0].state, Drift::State::kContested);
  EXPECT_EQ(outcome.state.drifts[0].have, "1500");
  EXPECT_EQ(outcome.state.drifts[0].want, "9000");
  EXPECT_TRUE(outcome.again_in);
}

TEST_F(ReconcilerTest, WhoResumesByHandEndsAContest) {
  pass();
  fight([this] { set_mtu(1500); });
  set_mtu(1500);
  pass();
  ASSERT_EQ(mtu(), 1500U);
  ASSERT_TRUE(state::note_by_hand(host_.files()));
  EXPECT_THAT(pass().state.drifts, IsEmpty());
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(ReconcilerTest, WhatIsSetUpAfterAResumeIsNoCorrection) {
  pass();
  fight([this] { set_mtu(1500); });
  set_mtu(1500);
  pass();
  ASSERT_TRUE(state::note_by_hand(host_.files()));
  const auto resumed = pass().state;
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_EQ(resumed.changes.front().cause, ChangeRecord::Cause::kResumed);
  EXPECT_THAT(resumed.counters.drifts, Contains(Pair("mtu", 3)));
  for (int i = 0; i < 2; ++i) {
    set_mtu(1500);
    const auto state = pass().state;
    EXPECT_EQ(state.changes.front().cause, ChangeRecord::Cause::kDrift);
    EXPECT_THAT(state.drifts, IsEmpty()) << "two corrections are no contest";
  }
  set_mtu(1500);
  EXPECT_THAT(pass().state.drifts.at(0).why, HasSubstr("corrected 3 times"));
}

TEST_F(ReconcilerTest, WhatIsSetUpAfterAPauseIsNoDrift) {
  pass();
  const auto start = now();
  ASSERT_TRUE(
      state::write_pause(ports_, {.since = start, .until = later(start, std::chrono::hours(2))}));
  set_mtu(1500);
  pass();
  ASSERT_EQ(mtu(), 1500U);
  host_.files().erase(protocol::kPauseFile);
  const auto after = pass().state;
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_EQ(after.changes.front().cause, ChangeRecord::Cause::kResumed);
  EXPECT_THAT(after.counters.drifts, IsEmpty());
  EXPECT_THAT(after.drifts, IsEmpty());
}

TEST_F(ReconcilerTest, WhatIsSetUpAfterAReleaseIsNoDrift) {
  pass();
  release_by_hand();
  pass();
  ASSERT_TRUE(state::end_release(ports_, "spark1"));
  const auto after = pass().state;
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_THAT(after.changes, Contains(Field(&ChangeRecord::cause, ChangeRecord::Cause::kResumed)));
  EXPECT_THAT(after.counters.drifts, IsEmpty());
}

TEST_F(ReconcilerTest, WhatCannotBeSetUpYetIsNoDriftLater) {
  pass();
  const auto start = now();
  ASSERT_TRUE(
      state::write_pause(ports_, {.since = start, .until = later(start, std::chrono::hours(2))}));
  set_mtu(1500);
  pass();
  host_.files().erase(protocol::kPauseFile);
  host_.files().hold_lock("an apply by hand");
  pass();
  ASSERT_EQ(mtu(), 1500U);
  host_.files().hold_lock("");
  EXPECT_EQ(pass().state.changes.front().cause, ChangeRecord::Cause::kResumed);
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(ReconcilerTest, SetsNothingOnANodeThatWasReleased) {
  pass();
  release_by_hand();
  ASSERT_EQ(mtu(), 1500U);
  host_.forget_writes();
  const auto state = pass().state;
  EXPECT_TRUE(state.released);
  EXPECT_EQ(state.verdict, gate::Verdict::kNotReady);
  EXPECT_THAT(state.drifts, IsEmpty());
  EXPECT_FALSE(reconciler_.correct_network({}));
  host_.files().put(protocol::kDefaultFile, other_text());
  EXPECT_TRUE(pass().state.file.waits);
  EXPECT_TRUE(pass().state.file.waits);
  // After a reboot too.
  Reconciler after(ports_, {.file = protocol::kDefaultFile, .version = "0"});
  EXPECT_TRUE(after.pass({}).state.released);
  EXPECT_EQ(mtu(), 1500U);
  EXPECT_THAT(host_.writes(test::FakePort::kNetlink), 0U);
  ASSERT_TRUE(state::end_release(ports_, "spark1"));
  const auto resumed = pass().state;
  EXPECT_FALSE(resumed.released);
  EXPECT_FALSE(resumed.file.waits);
  EXPECT_EQ(mtu(), 4000U);
}

TEST_F(ReconcilerTest, NamesWhoElseWritesIt) {
  pass();
  writers_ = {{link(kRail).index, "NetworkManager (process 412)"}};
  const auto outcome = fight([&] { remove_address(); });
  EXPECT_EQ(
      outcome.state.drifts.at(0).why,
      "corrected 3 times within 10 minutes and changed again, by NetworkManager (process 412)");
  EXPECT_EQ(outcome.state.changes.front().writer, "NetworkManager (process 412)");
}

TEST_F(ReconcilerTest, NamesNobodyForSureWhereTheKernelDoesNot) {
  pass();
  writers_ = {{link(kRail).index, "NetworkManager (process 412)"}};
  EXPECT_THAT(fight([&] { set_mtu(1500); }).state.drifts.at(0).why,
              EndsWith("and changed again, while NetworkManager (process 412) changed addresses of "
                       "the link"));
}

TEST_F(ReconcilerTest, NamesTheFileThatSaysOtherwise) {
  pass();
  const std::string vendor = "/etc/sysctl.d/99-vendor.conf";
  host_.files().put(vendor, "# tuning\nnet.core.rmem_max = 212992\n");
  auto outcome = fight([&] { host_.sysctl().set("net.core.rmem_max", "212992"); });
  ASSERT_THAT(outcome.state.drifts, SizeIs(1));
  EXPECT_EQ(outcome.state.drifts[0].why,
            "corrected 3 times within 10 minutes and changed again; " + vendor + ":2 sets 212992");
  EXPECT_EQ(outcome.state.drifts[0].remedy, "change or remove " + vendor + ":2");
  EXPECT_THAT(outcome.sources, Contains(vendor));
  host_.files().erase(vendor);
  outcome = pass();
  EXPECT_THAT(outcome.state.drifts.at(0).why, EndsWith(" sets 212992")) << "it was so";
}

TEST_F(ReconcilerTest, OnlyTellsWhatThePolicySays) {
  host_.files().put(protocol::kDefaultFile,
                    test::pair_text() + "drift: { default: report, kinds: { sysctl: ignore } }\n");
  pass();
  set_mtu(1500);
  host_.sysctl().set("net.core.rmem_max", "212992");
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 1500U);
  ASSERT_THAT(outcome.state.drifts, SizeIs(1));
  EXPECT_EQ(outcome.state.drifts[0].kind, "mtu");
  EXPECT_EQ(outcome.state.drifts[0].line, std::string(protocol::kDefaultFile) + ":8:8");
}

TEST_F(ReconcilerTest, AHealThatFailsRollsBackNoOther) {
  pass();
  set_mtu(1500);
  ASSERT_TRUE(host_.netlink().set_mtu("enP2p1s0f0np0", 1500));
  host_.refuse_if("mtu of 'enP2p1s0f0np0'");
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 9000U);
  ASSERT_THAT(outcome.state.drifts, SizeIs(1)) << testing::PrintToString(host_.written());
  EXPECT_EQ(outcome.state.drifts[0].key, "enP2p1s0f0np0");
  EXPECT_EQ(outcome.state.drifts[0].state, Drift::State::kFailed);
}

TEST_F(ReconcilerTest, WhatFailsAfterABootRollsBackNothingElse) {
  pass();
  set_mtu(1500);
  ASSERT_TRUE(host_.netlink().set_mtu("enP2p1s0f0np0", 1500));
  host_.refuse_if("mtu of 'enP2p1s0f0np0'");
  Reconciler after_boot(ports_, {.file = protocol::kDefaultFile, .version = "0"});
  const auto outcome = after_boot.pass({});
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_THAT(outcome.state.changes,
              Contains(Field(&ChangeRecord::cause, ChangeRecord::Cause::kBoot)));
  EXPECT_THAT(outcome.state.drifts, SizeIs(1));
}

TEST_F(ReconcilerTest, KeepsTheLastGoodFileWhereANewOneIsWrong) {
  pass();
  host_.files().put(protocol::kDefaultFile, "version: 1\ncluster: pair\nnods: {}\n");
  set_mtu(1500);
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_THAT(outcome.state.file.refused_first, HasSubstr("cluster.yaml:"));
  // Also after a reboot.
  set_mtu(1500);
  Reconciler after_boot(ports_, {.file = protocol::kDefaultFile, .version = "0"});
  EXPECT_THAT(after_boot.pass({}).state.file.refused_first, HasSubstr("cluster.yaml:"));
  EXPECT_EQ(mtu(), 9000U);
  host_.files().put(protocol::kDefaultFile, test::pair_text());
  EXPECT_THAT(pass().state.file.refused, IsEmpty());
}

TEST_F(ReconcilerTest, HoldsNothingWhereNoFileWasEverGood) {
  host_.files().put(protocol::kDefaultFile, "version: 1\n");
  host_.forget_writes();
  const auto outcome = pass();
  EXPECT_THAT(outcome.state.node, IsEmpty());
  EXPECT_THAT(outcome.state.file.refused, HasSubstr("error"));
  EXPECT_EQ(host_.writes(), 0U);
}

TEST_F(ReconcilerTest, HoldsWhatWasAppliedByHandWhereTheFileIsWrongAtItsFirstStart) {
  apply_by_hand(test::pair_text());
  host_.files().put(protocol::kDefaultFile, "version: 1\ncluster: pair\nnods: {}\n");
  set_mtu(1500);
  const auto state = pass().state;
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_EQ(state.file.digest, config::parse(test::pair_text()).cluster.digest);
  EXPECT_THAT(state.file.refused_first, HasSubstr("cluster.yaml:"));
  EXPECT_FALSE(state.loss);
  EXPECT_EQ(*host_.files().read(protocol::kLastGoodFile), test::pair_text())
      << "from now on as any last good one";
  host_.files().put(protocol::kDefaultFile, test::pair_text());
  EXPECT_THAT(pass().state.file.refused, IsEmpty());
}

TEST_F(ReconcilerTest, HoldsTheFileBeforeTheOneThatNobodyConfirmedAtItsFirstStart) {
  apply_by_hand(test::pair_text());
  host_.files().put(protocol::kDefaultFile, other_text());
  apply_by_hand(std::chrono::milliseconds(1));
  wait_until_overdue();
  set_mtu(1500);
  const auto state = pass().state;
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_THAT(state.file.refused, HasSubstr("rolled back"));
  EXPECT_EQ(state.file.digest, config::parse(test::pair_text()).cluster.digest);
}

TEST_F(ReconcilerTest, DoesNotGoOnWithWhatStillWaitsForItsConfirmation) {
  apply_by_hand(test::pair_text());
  apply_by_hand(std::chrono::minutes(1));
  host_.files().put(protocol::kDefaultFile, "version: 1\n");
  EXPECT_EQ(pass().state.file.digest, config::parse(test::pair_text()).cluster.digest);
  EXPECT_EQ(mtu(), 4000U) << "it holds still until then";
}

TEST_F(ReconcilerTest, DoesNotSetUpWhatWasReleasedFromItsHistory) {
  apply_by_hand(test::pair_text());
  release_by_hand();
  host_.files().put(protocol::kDefaultFile, "version: 1\n");
  EXPECT_TRUE(pass().state.released);
  EXPECT_EQ(mtu(), 1500U);
}

TEST_F(ReconcilerTest, DoesNotUseAFileOfTheHistoryThatSomebodyChanged) {
  apply_by_hand(test::pair_text());
  const auto path =
      "/var/lib/spark-reconcile/spark1/files/" + config::parse(test::pair_text()).cluster.digest;
  ASSERT_TRUE(*host_.files().read(path + ".yaml"));
  host_.files().put(path + ".yaml", other_text());
  host_.files().put(protocol::kDefaultFile, "version: 1\n");
  forget_what_is_in_force();
  const auto state = pass().state;
  EXPECT_THAT(state.file.digest, IsEmpty());
  EXPECT_EQ(mtu(), 9000U);
  ASSERT_TRUE(state.loss);
  EXPECT_THAT(state.loss->what, HasSubstr("is not the file that was kept there"));
  const auto at = state.loss->at.boot;
  EXPECT_EQ(pass().state.loss->at.boot, at) << "told once";
}

TEST_F(ReconcilerTest, DoesNotGoOnAsTheNodeThatItWasBefore) {
  apply_by_hand(test::pair_text());
  host_.system().set_identity({.hostname = "spark2", .machine_id = {}, .kernel = {}});
  host_.files().put(protocol::kDefaultFile, "version: 1\n");
  forget_what_is_in_force();
  EXPECT_THAT(pass().state.file.digest, IsEmpty());
}

TEST_F(ReconcilerTest, RefusesAFileThatCannotBeHadAndKeepsWhatWas) {
  pass();
  host_.refuse_if("mtu");
  auto text = test::pair_text();
  text.replace(text.find("9000"), 4, "4000");
  host_.files().put(protocol::kDefaultFile, text);
  const auto refused = pass();
  EXPECT_THAT(refused.state.file.refused, HasSubstr("not applied, and rolled back"));
  EXPECT_EQ(mtu(), 9000U);
  ASSERT_TRUE(refused.again_in);
  EXPECT_LE(*refused.again_in, std::chrono::seconds(5));
  EXPECT_GT(*refused.again_in, std::chrono::seconds(0));
  host_.forget_writes();
  const auto between = pass();
  EXPECT_EQ(host_.writes(), 0U);  // not before then
  EXPECT_TRUE(between.again_in);  // and a pass in between does not forget it
}

TEST_F(ReconcilerTest, CorrectsTheNetworkFromItsOwnTables) {
  EXPECT_FALSE(reconciler_.correct_network({}));  // the first pass does that
  pass();
  EXPECT_FALSE(reconciler_.correct_network({}));
  set_mtu(1500);
  ports_.sysctl.write("net.core.rmem_max", "4711").value();
  EXPECT_TRUE(reconciler_.correct_network({}));
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_EQ(ports_.sysctl.read("net.core.rmem_max")->text, "4711");
  const auto outcome = pass();
  EXPECT_NE(ports_.sysctl.read("net.core.rmem_max")->text, "4711");
  EXPECT_THAT(outcome.state.counters.drifts, Contains(Pair("mtu", 1)));
  EXPECT_THAT(outcome.state.counters.drifts, Contains(Pair("sysctl", 1)));
}

TEST_F(ReconcilerTest, CorrectsNothingWhilePaused) {
  pass();
  const auto start = now();
  ASSERT_TRUE(state::write_pause(ports_, {.since = start,
                                          .until = later(start, std::chrono::hours(2)),
                                          .reason = "a test",
                                          .by = "alice"}));
  set_mtu(1500);
  EXPECT_FALSE(reconciler_.correct_network({}));
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 1500U);
  ASSERT_TRUE(outcome.state.paused);
  EXPECT_EQ(outcome.state.paused->reason, "a test");
  ASSERT_THAT(outcome.state.drifts, SizeIs(1));
  EXPECT_FALSE(outcome.state.drifts[0].due);
  ASSERT_TRUE(state::remove_pause(host_.files()));
  EXPECT_THAT(pass().state.drifts, IsEmpty());
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(ReconcilerTest, SaysThatAPauseWasLostWithTheStateAndKeepsTheFile) {
  pass();
  const auto start = now();
  ASSERT_TRUE(
      state::write_pause(ports_, {.since = start, .until = later(start, std::chrono::hours(2))}));
  ASSERT_TRUE(pass().state.paused);
  host_.files().erase(protocol::kPauseFile);
  host_.files().erase(protocol::kInForceRecord);
  const auto outcome = pass();
  ASSERT_TRUE(outcome.state.loss);
  EXPECT_THAT(outcome.state.loss->what, HasSubstr("in_force.json' was removed"));
  EXPECT_THAT(outcome.state.loss->what, EndsWith("Lost: the pause"));
  EXPECT_TRUE(*host_.files().read(protocol::kInForceRecord));
  const auto at = outcome.state.loss->at;
  EXPECT_EQ(pass().state.loss->at.boot, at.boot) << "told once";
}

TEST_F(ReconcilerTest, CorrectsNothingBeforeTheLedgerIsWrittenAgain) {
  Reconciler reconciler(
      ports_,
      {.file = protocol::kDefaultFile, .version = "0", .removal_rest = std::chrono::hours(1)});
  reconciler.pass({});
  host_.files().erase(protocol::kInForceRecord);
  set_mtu(1500);
  const auto outcome = reconciler.pass({});
  EXPECT_EQ(mtu(), 1500U);
  EXPECT_EQ(outcome.again_in, std::chrono::hours(1));
}

TEST_F(ReconcilerTest, HoldsStillWhileAnApplyWaitsForItsConfirmation) {
  pass();
  apply_by_hand(std::chrono::minutes(1));
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_FALSE(reconciler_.correct_network({}));
  const auto waiting = pass();
  EXPECT_EQ(mtu(), 4000U);
  ASSERT_TRUE(waiting.state.paused);
  EXPECT_THAT(waiting.state.paused->reason, HasSubstr("waits for its confirmation"));
  ASSERT_TRUE(waiting.again_in);
  EXPECT_LE(*waiting.again_in, std::chrono::minutes(1));
  host_.files().put(protocol::kDefaultFile, other_text());
  confirm();
  const auto confirmed = pass();
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_FALSE(confirmed.state.paused);
  EXPECT_THAT(confirmed.state.file.refused, IsEmpty());
}

TEST_F(ReconcilerTest, TakesTheFileThatStandsThereAfterAnApplyOfAnother) {
  pass();
  apply_by_hand(other_text());
  ASSERT_EQ(mtu(), 4000U);
  pass();
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(ReconcilerTest, GoesOnWhereTheJournalOfAnApplyThatWaitsIsGone) {
  pass();
  apply_by_hand(std::chrono::minutes(1));
  pass();
  host_.files().put(protocol::kDefaultFile, other_text());
  ASSERT_TRUE(state::remove_journal(host_.files(), "spark1"));
  pass();
  set_mtu(1500);
  pass();
  EXPECT_EQ(mtu(), 4000U);
}

TEST_F(ReconcilerTest, KeepsWhatIsOfANewFileThatItHasNotTakenYet) {
  Reconciler reconciler(ports_, {.file = protocol::kDefaultFile,
                                 .version = "0",
                                 .take = {.settles_in = std::chrono::hours(1)}});
  reconciler.pass({});
  host_.files().put(protocol::kDefaultFile, other_text());
  reconciler.pass({});
  apply_by_hand(std::chrono::minutes(1));
  reconciler.pass({});
  confirm();
  reconciler.pass({});
  EXPECT_FALSE(reconciler.correct_network({}));
  EXPECT_EQ(mtu(), 4000U) << "the file before is in force, and was corrected to";
  reconciler.pass({.triggers = {{"reload", 1}}});
  EXPECT_EQ(mtu(), 4000U);
  set_mtu(1500);
  EXPECT_TRUE(reconciler.correct_network({}));
  EXPECT_EQ(mtu(), 4000U);
}

TEST_F(ReconcilerTest, ALinkThatEntersABridgeIsNotTheSameToTheGate) {
  const auto before = pass().state.links;
  host_.netlink().set_master(kRail, "enP7s7");
  EXPECT_NE(pass().state.links, before) << "equal ones are not judged before the minute is over";
}

TEST_F(ReconcilerTest, RollsBackWhatNobodyConfirmedAndDoesNotTryItAgain) {
  pass();
  apply_by_hand(std::chrono::milliseconds(1));
  host_.files().put(protocol::kDefaultFile, other_text());
  wait_until_overdue();
  const auto outcome = pass();
  EXPECT_TRUE(outcome.changed);
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_THAT(outcome.state.file.refused, HasSubstr("rolled back"));
  EXPECT_FALSE(apply::find_open_journal(host_.files()).value());
  EXPECT_EQ(state::read_history(host_.files(), "spark1")->back().outcome,
            state::Generation::Outcome::kUnconfirmed);
}

TEST_F(ReconcilerTest, RollsBackWhatNobodyConfirmedAlsoWithoutAnyFile) {
  apply_by_hand(std::chrono::milliseconds(1));
  host_.files().erase(protocol::kDefaultFile);
  forget_what_is_in_force();
  wait_until_overdue();
  EXPECT_TRUE(pass().changed);
  EXPECT_EQ(mtu(), 1500U);
  EXPECT_FALSE(apply::find_open_journal(host_.files()).value());
}

TEST_F(ReconcilerTest, EndsARollbackThatWasKilledBeforeItsJournalWasGone) {
  apply_by_hand(std::chrono::minutes(10));
  const auto journal = apply::find_open_journal(host_.files()).value().value();
  ASSERT_EQ(apply::roll_back_open(ports_, journal, apply::TransactionObserver{}).outcome,
            apply::Report::Outcome::kRolledBack);
  ASSERT_TRUE(state::write_journal(host_.files(), journal));
  host_.files().put(protocol::kDefaultFile, "version: 1\n");
  EXPECT_FALSE(pass().state.paused) << "nothing waits for a confirmation";
  EXPECT_FALSE(apply::find_open_journal(host_.files()).value());
  EXPECT_EQ(mtu(), 1500U);
  EXPECT_EQ(state::read_history(host_.files(), "spark1")->back().outcome,
            state::Generation::Outcome::kRolledBackByHand);
}

TEST_F(ReconcilerTest, NamesAnApplyThatWasInterruptedUntilItIsOver) {
  const auto start = now();
  ASSERT_TRUE(
      state::write_pause(ports_, {.since = start, .until = later(start, std::chrono::hours(2))}));
  apply_by_hand(std::chrono::minutes(10));
  auto journal = apply::find_open_journal(host_.files()).value().value();
  journal.request.confirm_within.reset();
  ASSERT_TRUE(state::write_journal(host_.files(), journal));
  const auto state = pass().state;
  ASSERT_TRUE(state.unfinished);
  EXPECT_THAT(state.unfinished->what, testing::HasSubstr("by alice"));
  ASSERT_EQ(apply::roll_back_open(ports_, journal, apply::TransactionObserver{}).outcome,
            apply::Report::Outcome::kRolledBack);
  EXPECT_FALSE(pass().state.unfinished);
}

TEST_F(ReconcilerTest, WaitsForAnApplyByHand) {
  pass();
  set_mtu(1500);
  host_.files().hold_lock("process 1234");
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 1500U);
  EXPECT_EQ(outcome.again_in, std::chrono::seconds(1));
  EXPECT_TRUE(outcome.state.drifts.at(0).due);
  host_.files().hold_lock("");
  pass();
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(ReconcilerTest, CorrectsNothingThatAnApplyChangedSinceItLooked) {
  pass();
  set_mtu(1500);
  host_.files().before_lock([this] { apply_by_hand(std::chrono::minutes(1)); });
  EXPECT_FALSE(reconciler_.correct_network({}));
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_TRUE(apply::find_open_journal(host_.files()).value()) << "it waits for its confirmation";

  confirm();
  host_.files().before_lock([this] { apply_by_hand(std::chrono::minutes(1)); });
  set_mtu(1500);
  EXPECT_EQ(pass().again_in, std::chrono::seconds(1));
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_TRUE(apply::find_open_journal(host_.files()).value());
}

TEST_F(ReconcilerTest, JudgesTheGateAndKeepsSinceWhen) {
  pass();
  const auto ready = gate(gate::GateOptions::Depth::kNormal).state;
  EXPECT_EQ(ready.verdict, gate::Verdict::kReady);
  const auto since = ready.verdict_since.boot;
  EXPECT_EQ(gate(gate::GateOptions::Depth::kLight).state.verdict_since.boot, since);
  host_.netlink().set_cable(kRail, false);
  EXPECT_EQ(gate(gate::GateOptions::Depth::kLight).state.verdict, gate::Verdict::kNotReady);
}

TEST_F(ReconcilerTest, KnowsWhoIsAtTheOtherEndUntilTheCarrierGoes) {
  const auto cabling_of = [](const NodeState& state) {
    return std::ranges::find(state.links, kRail, &LinkRecord::name)->cabling;
  };
  EXPECT_EQ(cabling_of(pass().state), gate::Cabling{}) << "nobody was asked yet";
  const gate::Cabling proven{.state = gate::CablingState::kProven, .by = {"spark2", 0}};
  EXPECT_EQ(cabling_of(gate(gate::GateOptions::Depth::kLight).state), proven);
  EXPECT_EQ(cabling_of(pass().state), proven);
  host_.netlink().set_cable(kRail, false);
  EXPECT_EQ(cabling_of(pass().state), gate::Cabling{});
}

TEST_F(ReconcilerTest, LooksAgainWhenSomebodyMayBeAskedAboutACable) {
  pass();
  EXPECT_EQ(gate(gate::GateOptions::Depth::kLight).again_in, std::chrono::seconds(10))
      << "for other hosts with our address";
}

TEST_F(ReconcilerTest, CountsTheTimesThatEventsWereLost) {
  EXPECT_EQ(reconciler_.pass({.triggers = {{"overrun", 2}, {"netlink", 7}}}).state.counters.resyncs,
            2U);
}

TEST_F(ReconcilerTest, NamesWhatItHasLookedAt) {
  EXPECT_THAT(pass().sources, Contains("/etc/hosts"));
}

host::LinkHardware connectx() {
  host::LinkHardware hardware;
  hardware.link = kRail;
  hardware.driver = "mlx5_core";
  hardware.firmware = "28.45.4028";
  hardware.pcie = host::PcieLink{"32.0 GT/s PCIe", "32.0 GT/s PCIe", 2, 4};
  hardware.statistics = {{"rx_symbol_err_phy", 5}};
  return hardware;
}

TEST_F(ReconcilerTest, TakesTheHardwareThatTheGateSaw) {
  pass();
  host_.hardware().facts().links = {connectx()};
  auto outcome = gate(gate::GateOptions::Depth::kLight);
  const auto faults = [](const NodeState& state) {
    std::vector<std::string> names;
    for (const auto& sign : state.hardware.signs) {
      if (sign.is_fault) names.push_back(sign.name);
    }
    return names;
  };
  EXPECT_THAT(faults(outcome.state), ElementsAre("pcie"));
  host_.hardware().facts().links[0].statistics["rx_symbol_err_phy"] = 6;
  outcome = gate(gate::GateOptions::Depth::kLight);
  EXPECT_THAT(faults(outcome.state), ElementsAre("pcie", "errors"));
  EXPECT_EQ(pass().state.hardware.signs.size(), outcome.state.hardware.signs.size())
      << "a pass keeps what the gate saw";
  host_.hardware().facts().links.clear();
  EXPECT_THAT(faults(gate(gate::GateOptions::Depth::kLight).state), IsEmpty());
}

TEST_F(ReconcilerTest, SaysWhichChangeWasTheLastOne) {
  EXPECT_EQ(pass().state.change_id, "") << "the daemon applied the file";
  const auto text = other_text();
  host_.files().put(protocol::kDefaultFile, text);
  ASSERT_EQ(
      apply(text,
            {.file = protocol::kDefaultFile, .text = text, .by = "alice", .change_id = "CHG0031"})
          .outcome,
      apply::Report::Outcome::kApplied);
  EXPECT_EQ(pass().state.change_id, "CHG0031");
  apply_by_hand(text_);
  EXPECT_EQ(pass().state.change_id, "") << "what came after it had none";
  release_by_hand("CHG0032");
  EXPECT_EQ(pass().state.change_id, "CHG0032") << "though the file of before stays in force";
}

TEST_F(ReconcilerTest, GivesTheIdOfAnApplyToWhatTheDaemonAppliedBeforeIt) {
  pass();
  const auto request = state::ApplyRequest{
      .file = protocol::kDefaultFile, .text = text_, .by = "alice", .change_id = "CHG0031"};
  EXPECT_EQ(apply(text_, request).outcome, apply::Report::Outcome::kNothingToDo);
  EXPECT_EQ(gate(gate::GateOptions::Depth::kLight).state.change_id, "CHG0031")
      << "for the alert that begins now";
  EXPECT_EQ(pass().state.change_id, "CHG0031");
  host_.forget_writes();
  EXPECT_EQ(apply(text_, request).outcome, apply::Report::Outcome::kNothingToDo);
  EXPECT_EQ(host_.writes(), 0U);
}

}  // namespace
}  // namespace spark::daemon
