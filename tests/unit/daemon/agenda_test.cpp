#include "daemon/agenda.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// An agenda, and the time that the test says it is.
class AgendaTest : public ::testing::Test {
 protected:
  std::optional<Task> next() { return agenda.next(now); }
  void after(Agenda::Duration time) { now += time; }
  void report(std::string_view source) { agenda.reported(source, now); }

  template <class Expected>
  Expected expect() {
    const auto task = next();
    EXPECT_TRUE(task && std::holds_alternative<Expected>(*task));
    return task && std::holds_alternative<Expected>(*task) ? std::get<Expected>(*task) : Expected{};
  }
  void expect_nothing() { EXPECT_FALSE(next()); }

  /// The first pass, and the one that follows it at once.
  void start() {
    report("start");
    expect<MakePass>();
    agenda.passed({}, now);
    after(milliseconds(100));
    expect<MakePass>();
    agenda.passed({}, now);
  }
  /// Observes the gate when it is due, and takes in what was seen.
  void judge_gate() {
    after(seconds(2));
    expect<ObserveGate>();
    agenda.gate_observed();
    expect<TakeVerdict>();
    agenda.verdict_taken(false, std::nullopt, now);
  }
  /// Until the next task, as the daemon waits; at most an hour.
  std::optional<Task> wait() {
    for (const auto end = now + std::chrono::hours(1); now < end;) {
      if (auto task = next()) return task;
      now = std::max(agenda.wake_at(), now + milliseconds(1));
    }
    return std::nullopt;
  }

  Agenda::Time now{std::chrono::hours(1)};
  Agenda agenda{now};
};

TEST_F(AgendaTest, HasNothingToDoBeforeItIsTold) {
  expect_nothing();
  EXPECT_EQ(agenda.wake_at(), now + seconds(60));
}

TEST_F(AgendaTest, TheFirstPassIsOfTheNetworkAndTheSecondOfAllFollowsAtOnce) {
  report("start");
  EXPECT_TRUE(expect<MakePass>().network_alone);
  EXPECT_FALSE(agenda.had_pass());
  agenda.passed({}, now);
  EXPECT_TRUE(agenda.had_pass());
  const auto begun = now;
  const auto second = wait();
  ASSERT_TRUE(second && std::holds_alternative<MakePass>(*second));
  EXPECT_FALSE(std::get<MakePass>(*second).network_alone);
  EXPECT_EQ(std::get<MakePass>(*second).triggers, (Triggers{{"storage", 1}}));
  EXPECT_LT(now - begun, seconds(1));
}

TEST_F(AgendaTest, OnePassAnswersABurstAndCountsItsSources) {
  start();
  for (int i = 0; i < 1000; ++i) report("file");
  report("overrun");
  report("overrun");
  after(seconds(1));
  EXPECT_EQ(expect<MakePass>().triggers, (Triggers{{"file", 1000}, {"overrun", 2}}));
  agenda.passed({}, now);
  after(milliseconds(1));
  expect_nothing();
}

TEST_F(AgendaTest, TheFirstEventAfterACalmTimeIsFollowedAtOnce) {
  start();
  judge_gate();
  after(seconds(10));
  report("mount");
  expect<MakePass>();
}

TEST_F(AgendaTest, WhatNetlinkTellsOfIsCorrectedBeforeThePass) {
  start();
  after(seconds(1));
  report("netlink");
  expect<CorrectNetwork>();
  expect_nothing();  // one task at a time
  agenda.corrected(true, now);
  const auto pass = wait();
  ASSERT_TRUE(pass && std::holds_alternative<MakePass>(*pass));
  EXPECT_EQ(std::get<MakePass>(*pass).triggers, (Triggers{{"netlink", 1}}));
}

TEST_F(AgendaTest, AWriterThatNeverStopsMakesPassesRare) {
  start();
  int passes = 0;
  for (const auto end = now + seconds(60); now < end; after(milliseconds(1))) {
    report("mount");
    if (const auto task = next(); task && std::holds_alternative<MakePass>(*task)) {
      ++passes;
      agenda.passed({}, now);
    }
  }
  EXPECT_GE(passes, 60);
  EXPECT_LE(passes, 150);
}

TEST_F(AgendaTest, EventsDuringAPassMakeAnother) {
  start();
  after(seconds(1));
  report("file");
  expect<MakePass>();
  report("file");
  expect_nothing();
  after(seconds(1));
  expect_nothing();
  agenda.passed({}, now);
  after(seconds(1));
  expect<MakePass>();
}

TEST_F(AgendaTest, LooksAtTheUsersOnlyWhileSomethingWaitsForThem) {
  start();
  judge_gate();
  report("file");
  expect<MakePass>();
  agenda.passed({.waits = true}, now);
  const auto begun = now;
  auto task = wait();
  ASSERT_TRUE(task && std::holds_alternative<ObserveUsers>(*task));
  EXPECT_EQ(now - begun, seconds(5));
  expect_nothing();
  agenda.users_seen(false, now);
  task = wait();
  ASSERT_TRUE(task && std::holds_alternative<ObserveUsers>(*task));
  EXPECT_EQ(now - begun, seconds(10));
  agenda.users_seen(true, now);
  task = wait();
  ASSERT_TRUE(task && std::holds_alternative<MakePass>(*task)) << "the job has ended";
  EXPECT_LE(now - begun, seconds(11));
  agenda.passed({}, now);
  task = wait();
  EXPECT_FALSE(task && std::holds_alternative<ObserveUsers>(*task));
}

TEST_F(AgendaTest, LooksSlowlyEvenIfNobodyTells) {
  start();
  judge_gate();
  for (int i = 0; i < 3; ++i) {
    auto task = wait();
    while (task && !std::holds_alternative<MakePass>(*task)) {  // the gate, each minute too
      agenda.gate_observed();
      expect<TakeVerdict>();
      agenda.verdict_taken(false, std::nullopt, now);
      task = wait();
    }
    ASSERT_TRUE(task);
    EXPECT_EQ(std::get<MakePass>(*task).triggers, (Triggers{{"timer", 1}}));
    agenda.passed({}, now);
  }
  EXPECT_GE(now - Agenda::Time(std::chrono::hours(1)), minutes(3));
}

TEST_F(AgendaTest, LooksAtTheGateEachMinuteAlsoWhereNothingIsDueBefore) {
  start();
  after(seconds(2));
  expect<ObserveGate>();
  agenda.gate_observed();
  expect<TakeVerdict>();
  agenda.verdict_taken(false, minutes(5), now);
  const auto since = now;
  for (auto task = wait(); task && !std::holds_alternative<ObserveGate>(*task); task = wait()) {
    agenda.passed({}, now);
  }
  EXPECT_EQ(now - since, minutes(1));
}

/// As where a pause ends, or the time for a confirmation.
TEST_F(AgendaTest, LooksAgainWhenAPassSaysSo) {
  start();
  after(seconds(1));
  report("file");
  expect<MakePass>();
  agenda.passed({.again_in = seconds(7)}, now);
  judge_gate();
  EXPECT_EQ(agenda.wake_at(), now + seconds(5));
  after(seconds(5));
  EXPECT_EQ(expect<MakePass>().triggers, (Triggers{{"again", 1}}));
}

TEST_F(AgendaTest, ALaterPassForgetsTheWishOfAnEarlierOne) {
  start();
  after(seconds(1));
  report("file");
  expect<MakePass>();
  agenda.passed({.again_in = seconds(7)}, now);
  after(seconds(1));
  report("file");  // somebody confirmed, or resumed
  expect<MakePass>();
  agenda.passed({}, now);
  judge_gate();
  after(seconds(20));
  expect_nothing();
}

TEST_F(AgendaTest, WhatPeersTellBringsALookAtTheGateAndNoPass) {
  start();
  judge_gate();
  after(seconds(10));
  report("peers");
  expect_nothing();
  EXPECT_EQ(agenda.wake_at(), now + seconds(1));
  after(seconds(1));
  EXPECT_FALSE(expect<ObserveGate>().deeply);
  agenda.gate_observed();
  expect<TakeVerdict>();
  agenda.verdict_taken(false, std::nullopt, now);
}

TEST_F(AgendaTest, HoweverMuchPeersTellTheGateIsObservedEveryFiveSecondsAtMost) {
  start();
  judge_gate();
  after(seconds(10));
  int looks = 0;
  for (const auto end = now + seconds(20); now < end; now += milliseconds(10)) {
    report("peers");
    const auto task = next();
    if (!task) continue;
    if (std::holds_alternative<MakePass>(*task)) {  // the slow look
      agenda.passed({}, now);
      continue;
    }
    ++looks;
    agenda.gate_observed();
    expect<TakeVerdict>();
    agenda.verdict_taken(false, std::nullopt, now);
  }
  EXPECT_EQ(looks, 4);
}

TEST_F(AgendaTest, NoJobMeansNoWakeUp) {
  start();
  judge_gate();
  const auto without = agenda.wake_at();
  agenda.jobs_seen(false, now);
  EXPECT_EQ(agenda.wake_at(), without);
}

TEST_F(AgendaTest, LooksAtTheRailsEveryTenSecondsWhileAJobIsThere) {
  start();
  judge_gate();
  agenda.jobs_seen(true, now);
  EXPECT_EQ(agenda.wake_at(), now + seconds(10));
  after(seconds(10));
  expect<ObserveJobs>();
  expect_nothing();  // one task at a time
  agenda.jobs_seen(true, now);
  EXPECT_EQ(agenda.wake_at(), now + seconds(10));
  after(seconds(10));
  expect<ObserveJobs>();
  agenda.jobs_seen(false, now);
  after(seconds(10));
  expect_nothing();
}

TEST_F(AgendaTest, ADeviceThatIsOpenedBringsALookAtTheRailsAndNoPass) {
  start();
  judge_gate();
  after(seconds(10));
  report("verbs");
  expect_nothing();
  EXPECT_EQ(agenda.wake_at(), now + seconds(1));
  after(seconds(1));
  expect<ObserveJobs>();
  agenda.jobs_seen(false, now);
  expect_nothing();
}

TEST_F(AgendaTest, ADeviceThatTheGateOpensBringsNoLook) {
  start();
  after(seconds(2));
  expect<ObserveGate>();
  report("verbs");
  agenda.gate_observed();
  expect<TakeVerdict>();
  agenda.verdict_taken(false, std::nullopt, now);
  agenda.jobs_seen(false, now);
  after(seconds(2));
  expect_nothing();
}

TEST_F(AgendaTest, HoweverOftenDevicesAreOpenedTheRailsAreLookedAtEveryFiveSecondsAtMost) {
  start();
  judge_gate();
  after(seconds(10));
  int looks = 0;
  for (const auto end = now + seconds(20); now < end; now += milliseconds(10)) {
    report("verbs");
    const auto task = next();
    if (!task) continue;
    if (std::holds_alternative<MakePass>(*task)) {  // the slow look
      agenda.passed({}, now);
      continue;
    }
    ASSERT_TRUE(std::holds_alternative<ObserveJobs>(*task));
    ++looks;
    agenda.jobs_seen(true, now);
  }
  EXPECT_EQ(looks, 4);
}

TEST_F(AgendaTest, TheGateIsObservedOnceTheLinksRest) {
  start();
  after(milliseconds(500));
  expect_nothing();
  after(milliseconds(1500));
  EXPECT_TRUE(expect<ObserveGate>().deeply);
  expect_nothing();
  agenda.gate_observed();
  expect<TakeVerdict>();
  agenda.verdict_taken(false, std::nullopt, now);
  EXPECT_EQ(agenda.wake_at(),
            std::min(now + seconds(60), Agenda::Time(std::chrono::hours(1)) + seconds(60)));
}

TEST_F(AgendaTest, TheBandwidthIsMeasuredOnlyWhereSomethingMoved) {
  start();
  judge_gate();
  agenda.verdict_taken(false, seconds(1), now);
  after(seconds(1));
  EXPECT_FALSE(expect<ObserveGate>().deeply);
  agenda.gate_observed();
  expect<TakeVerdict>();
  agenda.verdict_taken(true, seconds(1), now);
  after(seconds(1));
  EXPECT_TRUE(expect<ObserveGate>().deeply);
}

TEST_F(AgendaTest, ALinkThatMovedHasTheGateObservedSoon) {
  start();
  judge_gate();
  report("netlink");
  expect<CorrectNetwork>();
  agenda.corrected(false, now);
  after(milliseconds(100));
  expect<MakePass>();
  agenda.passed({.links_moved = true}, now);
  after(seconds(2));
  EXPECT_TRUE(expect<ObserveGate>().deeply);
}

TEST_F(AgendaTest, ACorrectionDoesNotWaitForTheGate) {
  start();
  after(seconds(2));
  expect<ObserveGate>();
  report("netlink");
  expect<CorrectNetwork>();
}

TEST_F(AgendaTest, ALookAtTheGateThatACorrectionOvertookIsMadeAgain) {
  start();
  after(seconds(2));
  EXPECT_TRUE(expect<ObserveGate>().deeply);
  after(milliseconds(1));
  report("netlink");
  expect<CorrectNetwork>();
  agenda.corrected(true, now);
  agenda.gate_observed();
  after(seconds(1));
  expect<MakePass>();
  agenda.passed({}, now);
  after(milliseconds(1));
  expect_nothing();  // what was seen is thrown away
  after(seconds(2));
  EXPECT_TRUE(expect<ObserveGate>().deeply);
}

TEST_F(AgendaTest, TheAlertsAreKeptWhenNothingMoreUrgentIsThere) {
  start();
  after(seconds(1));
  report("file");
  agenda.records_changed();
  expect<MakePass>();
  agenda.passed({}, now);
  expect<KeepRecords>();
  expect_nothing();
  agenda.records_kept();
  expect_nothing();
}

TEST_F(AgendaTest, AnAlertThatIsDueIsReviewedAlsoDuringAPass) {
  start();
  after(seconds(1));
  report("file");
  expect<MakePass>();
  agenda.alerts_due(now + seconds(3));
  EXPECT_EQ(agenda.wake_at(), now + seconds(3));
  after(seconds(3));
  expect<ReviewAlerts>();
  expect_nothing();
}

TEST_F(AgendaTest, ATaskOfHalfAnHourHangs) {
  start();
  judge_gate();
  after(seconds(1));
  EXPECT_FALSE(agenda.hangs(now + std::chrono::hours(5)));
  report("file");
  expect<MakePass>();
  EXPECT_FALSE(agenda.hangs(now + minutes(29)));
  EXPECT_TRUE(agenda.hangs(now + minutes(31)));
  agenda.passed({.links_moved = true}, now);
  EXPECT_FALSE(agenda.hangs(now + minutes(31)));
  after(seconds(2));
  expect<ObserveGate>();
  EXPECT_TRUE(agenda.hangs(now + minutes(31)));
  agenda.gate_observed();
  EXPECT_FALSE(agenda.hangs(now + minutes(31)));
}

/// The states in which a signal may come: after the stop nothing begins, and what is under way
/// ends.
TEST_F(AgendaTest, NothingBeginsOnceItIsStopped) {
  const auto stop = [](Agenda stopped, Agenda::Time at) {
    stopped.stop();
    stopped.reported("netlink", at);
    stopped.records_changed();
    stopped.alerts_due(at);
    for (int i = 0; i < 200; ++i) EXPECT_FALSE(stopped.next(at + seconds(i)));
    return stopped;
  };
  stop(agenda, now);  // before its first pass
  report("start");
  stop(agenda, now);  // with a pass due
  expect<MakePass>();
  auto in_pass = stop(agenda, now);
  in_pass.passed({.changed = true}, now);
  EXPECT_FALSE(in_pass.next(now + seconds(9)));
  agenda.passed({}, now);
  after(seconds(1));
  expect<MakePass>();
  agenda.passed({}, now);
  stop(agenda, now);  // with the gate due
  after(seconds(2));
  expect<ObserveGate>();
  auto in_look = stop(agenda, now);
  in_look.gate_observed();
  EXPECT_FALSE(in_look.next(now));
  agenda.gate_observed();
  stop(agenda, now);  // with a verdict to take in
  expect<TakeVerdict>();
  auto in_verdict = stop(agenda, now);
  in_verdict.verdict_taken(true, std::nullopt, now);
  EXPECT_FALSE(in_verdict.next(now + minutes(2)));
  agenda.verdict_taken(false, std::nullopt, now);
  report("netlink");
  after(seconds(1));
  expect<CorrectNetwork>();
  auto in_correction = stop(agenda, now);
  in_correction.corrected(true, now);
  EXPECT_FALSE(in_correction.next(now + minutes(2)));
}

}  // namespace
}  // namespace spark::daemon
