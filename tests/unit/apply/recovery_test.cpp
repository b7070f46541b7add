#include "apply/recovery.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apply/rollback.hpp"
#include "fake/fake_pass.hpp"
#include "protocol/paths.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"

namespace spark::apply {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kPath = "/var/lib/spark-reconcile/spark1/journal.json";

class OpenJournalTest : public test::PassTest {
 protected:
  Report apply(std::optional<seconds> confirm_within) {
    return PassTest::apply({.file = "/etc/spark-reconcile/cluster.yaml",
                            .text = text_,
                            .by = "alice",
                            .confirm_within = confirm_within},
                           nobody_);
  }
  std::string plan_now() { return plan::fingerprint(plan()); }
  state::Journal open() { return find_open_journal(host_.files()).value().value(); }

  TransactionObserver nobody_;
};

TEST_F(OpenJournalTest, KnowsTwoApart) {
  const auto moment = now();
  EXPECT_NE(state::new_id(moment), state::new_id(moment));
}

TEST_F(OpenJournalTest, AnApplyThatWantsNoConfirmationLeavesNone) {
  ASSERT_EQ(apply({}).outcome, Report::Outcome::kApplied);
  EXPECT_FALSE(find_open_journal(host_.files()).value());
}

TEST_F(OpenJournalTest, OneThatWaitsForItsConfirmationStaysAndIsRolledBack) {
  const auto before = plan_now();
  ASSERT_EQ(apply(seconds(60)).outcome, Report::Outcome::kApplied);
  ASSERT_NE(plan_now(), before);
  const auto journal = open();
  EXPECT_TRUE(journal.applied && journal.request.confirm_within);
  EXPECT_THAT(describe(journal), HasSubstr("by alice"));
  const auto report = roll_back_open(ports_, journal, nobody_);
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack) << testing::PrintToString(report.differs);
  EXPECT_EQ(plan_now(), before);
  EXPECT_FALSE(find_open_journal(host_.files()).value());
  EXPECT_EQ(ledger(), kinds::Ledger{});
}

TEST_F(OpenJournalTest, OneThatWasInterruptedIsNamedWithItsTwoCommands) {
  ASSERT_EQ(apply(seconds(60)).outcome, Report::Outcome::kApplied);
  bool is_locked = false;
  const auto find = [&] {
    return find_unfinished(ports_, now(), [&] { return is_locked; }).value();
  };
  EXPECT_FALSE(find()) << "it may still be confirmed";
  auto journal = open();
  journal.request.confirm_within.reset();
  ASSERT_TRUE(state::write_journal(host_.files(), journal));
  const auto unfinished = find();
  ASSERT_TRUE(unfinished);
  EXPECT_THAT(unfinished->what, HasSubstr("by alice"));
  EXPECT_EQ(unfinished->remedy,
            "`spark-reconcile apply` finishes it, `spark-reconcile rollback` rolls it back");
  is_locked = true;
  EXPECT_FALSE(find()) << "it is still at work";
  is_locked = false;
  ASSERT_EQ(roll_back_open(ports_, open(), nobody_).outcome, Report::Outcome::kRolledBack);
  EXPECT_FALSE(find());
}

TEST_F(OpenJournalTest, IsRolledBackWhateverBecameOfTheFiles) {
  const auto before = plan_now();
  ASSERT_EQ(apply(seconds(60)).outcome, Report::Outcome::kApplied);
  auto journal = open();
  journal.request.text = "version: 99\n";  // another version took it
  ASSERT_TRUE(state::write_journal(host_.files(), journal));
  for (const auto* path : {protocol::kDefaultFile, protocol::kInForceRecord}) {
    host_.files().erase(path);
  }
  const auto report = roll_back_open(ports_, open(), nobody_);
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack) << testing::PrintToString(report.differs);
  EXPECT_EQ(plan_now(), before);
  EXPECT_FALSE(find_open_journal(host_.files()).value());
  EXPECT_EQ(ledger(), kinds::Ledger{});
}

// It has no file, and could only be resumed.
TEST_F(OpenJournalTest, ACorrectionThatWasInterruptedIsRolledBack) {
  plan::Plan correction{.node = "spark1"};
  for (auto& step : PassTest::plan().steps) {
    if (step.is_volatile) correction.steps.push_back(std::move(step));
  }
  const auto before = plan_now();
  ASSERT_TRUE(
      state::write_journal(host_.files(), state::begin_journal(ports_, correction, {}, {})));
  for (const auto& step : correction.steps) {
    ASSERT_TRUE(kinds::is_done(step.apply(ports_))) << step.name();
  }
  ASSERT_NE(plan_now(), before);
  const auto report = roll_back_open(ports_, open(), nobody_);
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack) << testing::PrintToString(report.differs);
  EXPECT_EQ(plan_now(), before);
  EXPECT_FALSE(find_open_journal(host_.files()).value());
  EXPECT_TRUE(state::read_history(host_.files(), "spark1").value().empty());
}

// Else the record would wait for ever for a journal that is gone.
TEST_F(OpenJournalTest, StaysWhereNobodyCanSayWhatBecameOfItsFile) {
  ASSERT_EQ(apply(seconds(60)).outcome, Report::Outcome::kApplied);
  host_.files().make_link(protocol::kInForceRecord);
  const auto report = roll_back_open(ports_, open(), nobody_);
  EXPECT_EQ(report.outcome, Report::Outcome::kRollbackIncomplete);
  EXPECT_TRUE(find_open_journal(host_.files()).value());
}

TEST_F(OpenJournalTest, WhatTheKernelTookAlongIsSaidAndEndsIt) {
  ASSERT_EQ(apply(seconds(60)).outcome, Report::Outcome::kApplied);
  auto journal = open();
  ASSERT_FALSE(journal.tables.empty()) << "they are read back with the journal";
  auto& [name, link] = *journal.tables.begin();
  const auto route = fmt::format("route 203.0.113.0/24 dev {} table 254 metric 0", name);
  link.lines.insert(std::ranges::upper_bound(link.lines, route), route);
  const auto report = roll_back_open(ports_, journal, nobody_);
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack) << testing::PrintToString(report.differs);
  EXPECT_THAT(report.taken_along, testing::ElementsAre(route + " is gone"));
  EXPECT_FALSE(find_open_journal(host_.files()).value());
}

TEST_F(OpenJournalTest, OfADeviceThatWasMadeAgainNothingWasTakenAlong) {
  ASSERT_EQ(apply(seconds(60)).outcome, Report::Outcome::kApplied);
  auto journal = open();
  auto& [name, link] = *journal.tables.begin();
  link.lines.emplace_back("route 203.0.113.0/24");
  link.index += 1000;
  EXPECT_THAT(roll_back_open(ports_, journal, nobody_).taken_along, testing::IsEmpty());
}

TEST_F(OpenJournalTest, IsOverdueAfterItsTimeAndAfterAReboot) {
  apply(seconds(60));
  const auto journal = open();
  const auto boot = state::boot_id(ports_);
  const auto at = [&](seconds time) { return later(journal.began, time); };
  EXPECT_EQ(journal_state_of(host_.files(), journal, at(seconds(59)), boot),
            JournalState::kPending);
  EXPECT_EQ(journal_state_of(host_.files(), journal, at(seconds(60)), boot),
            JournalState::kOverdue);
  EXPECT_EQ(journal_state_of(host_.files(), journal, at(seconds(1)), "another boot"),
            JournalState::kOverdue);
  EXPECT_EQ(journal.left(at(seconds(20)), boot), seconds(40));
}

TEST_F(OpenJournalTest, AClockThatIsSetByYearsChangesNothing) {
  apply(seconds(60));
  auto moment = open().began;
  moment.wall += std::chrono::years(10);
  EXPECT_EQ(journal_state_of(host_.files(), open(), moment, state::boot_id(ports_)),
            JournalState::kPending);
}

TEST_F(OpenJournalTest, NothingIsChangedWhereTheTimerCannotBeArmed) {
  host_.forget_writes();
  const auto before = plan_now();
  nobody_.begins = [](const state::Journal&) {
    return fail(ErrorCode::kUnsupported, "no systemd");
  };
  const auto report = apply(seconds(60));
  EXPECT_EQ(report.outcome, Report::Outcome::kNotStarted);
  EXPECT_THAT(report.failure->what, StartsWith("no systemd"));
  EXPECT_EQ(plan_now(), before);
  EXPECT_FALSE(find_open_journal(host_.files()).value());
}

TEST_F(OpenJournalTest, OneThatFailsByItselfLeavesNone) {
  host_.refuse_if("/etc/hosts");
  EXPECT_EQ(apply(seconds(60)).outcome, Report::Outcome::kRolledBack);
  EXPECT_FALSE(find_open_journal(host_.files()).value());
}

TEST_F(OpenJournalTest, AfterARebootOnlyWhatOutlivesItIsRolledBack) {
  apply(seconds(60));
  auto journal = open();
  journal.boot_id = "another boot";
  host_.forget_writes();
  roll_back_open(ports_, journal, nobody_);
  for (const auto& written : host_.written()) {
    EXPECT_THAT(written, testing::Not(HasSubstr("mtu"))) << written;
  }
  EXPECT_THAT(host_.written(), testing::Contains(HasSubstr("/etc/hosts")));
}

TEST_F(OpenJournalTest, FilesAreRolledBackBeforeTheLinksAreThere) {
  // At boot udev may not have come to the card yet.
  apply(seconds(60));
  auto journal = open();
  journal.boot_id = "another boot";
  for (const auto& rail : test::dgx_rail_names()) {
    host_.netlink().unplug(rail);
  }
  const auto report = roll_back_open(ports_, journal, nobody_);
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack) << testing::PrintToString(report.differs);
  for (const auto* path : {"/etc/sysctl.d/90-spark-reconcile.conf",
                           "/etc/NetworkManager/conf.d/90-spark-reconcile.conf",
                           "/etc/systemd/network/00-spark-reconcile.network"}) {
    EXPECT_EQ(host_.files().read(path).value(), std::nullopt) << path;
  }
}

TEST_F(OpenJournalTest, TheHistoryLearnsOfOneThatDiedBeforeItCouldSayThatItWas) {
  apply(seconds(60));
  const auto journal = open();
  const auto path = std::string("/var/lib/spark-reconcile/spark1/history.json");
  ASSERT_TRUE(host_.files().remove(path));
  ASSERT_TRUE(note_outcome(host_.files(), journal, state::Generation::Outcome::kUnconfirmed));
  const auto history = state::read_history(host_.files(), "spark1").value();
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history.front().id, journal.id);
  EXPECT_EQ(history.front().by, "alice");
  EXPECT_TRUE(state::was_rejected(history, journal.digest));
  EXPECT_EQ(state::read_generation(host_.files(), "spark1", journal.digest).value(),
            test::pair_text());
  // One that is known is not added again.
  ASSERT_TRUE(note_outcome(host_.files(), journal, state::Generation::Outcome::kIncomplete));
  EXPECT_EQ(state::read_history(host_.files(), "spark1").value().size(), 1U);
}

TEST_F(OpenJournalTest, ARemovalThatWasInterruptedIsStillKnownAsOurs) {
  kinds::Ledger before;
  before["sysctl"].emplace("net.core.rmem_max", kinds::LedgerEntry{"777777", "212992"});
  host_.sysctl().set("net.core.rmem_max", "777777");
  const plan::Plan plan{.node = "spark1", .steps = PassTest::plan().steps};
  ASSERT_TRUE(state::write_journal(host_.files(), state::begin_journal(ports_, plan, before, {})));
  EXPECT_EQ(ledger(), before);
}

TEST_F(OpenJournalTest, IsFoundAlsoWhereARebootForgetsItAll) {
  plan::Plan plan{.node = "spark1"};
  for (auto& step : PassTest::plan().steps) {
    if (step.is_volatile) {
      plan.steps.push_back(std::move(step));
    }
  }
  ASSERT_FALSE(plan.steps.empty());
  ASSERT_TRUE(state::write_journal(host_.files(), state::begin_journal(ports_, plan, {}, {})));
  EXPECT_EQ(open().steps.size(), plan.steps.size());
}

TEST_F(OpenJournalTest, AnApplyThatGoesOnRollsBackToBeforeTheFirst) {
  const auto original = host_.sysctl().text("net.core.rmem_max");
  const auto first = state::begin_journal(ports_, plan(test::one_setting_text()), {}, {});
  ASSERT_TRUE(state::write_journal(host_.files(), first));
  host_.sysctl().set("net.core.rmem_max", "555555");  // cut off, and half done by someone
  auto second = state::begin_journal(ports_, plan(test::one_setting_text()), first.known(), {});
  ASSERT_EQ(second.steps.size(), 1U);
  EXPECT_THAT(*second.steps.front().before, HasSubstr("555555"));
  second = state::resuming(first, std::move(second));
  ASSERT_EQ(second.steps.size(), 1U);
  EXPECT_THAT(*second.steps.front().before, HasSubstr(original));
  EXPECT_EQ(second.before, first.before);
  // What the first had done already is still in it.
  second.steps.clear();
  EXPECT_EQ(state::resuming(first, std::move(second)).steps.size(), 1U);
}

// Its rollback is noted in the history, and for the record in force.
TEST(Resuming, ACorrectionKeepsTheFileOfTheApplyThatItResumes) {
  state::Journal first;
  first.request = {.file = "cluster.yaml", .text = "cluster: {}", .by = "alice"};
  state::Journal correction;
  correction.id = "2";
  const auto both = state::resuming(first, correction);
  EXPECT_EQ(both.id, "2");
  EXPECT_EQ(both.request.text, "cluster: {}");
  EXPECT_EQ(both.request.by, "alice");
  correction.request.text = "cluster: { name: other }";
  EXPECT_EQ(state::resuming(first, correction).request.text, correction.request.text);
}

TEST_F(OpenJournalTest, AnApplyOfTheSameFileThatFailsLeavesTheOneItResumed) {
  const auto plan = PassTest::plan();
  ASSERT_TRUE(state::write_journal(
      host_.files(), state::begin_journal(ports_, plan, {}, {.text = test::pair_text()})));
  ASSERT_TRUE(plan.steps.front().apply(ports_));
  const auto before = plan_now();
  host_.refuse_if("/etc/hosts");
  ASSERT_EQ(apply({}).outcome, Report::Outcome::kRolledBack);
  EXPECT_EQ(plan_now(), before);
  EXPECT_EQ(open().steps.size(), plan.steps.size());
}

TEST_F(OpenJournalTest, AnApplyThatFindsAllDoneByOneThatWasInterruptedIsInTheHistory) {
  ASSERT_EQ(apply(seconds(60)).outcome, Report::Outcome::kApplied);
  auto journal = open();
  journal.request.confirm_within.reset();  // cut off just before its end
  journal.id = "cut-off";
  ASSERT_TRUE(state::write_journal(host_.files(), journal));
  const auto report =
      PassTest::apply({.file = "cluster.yaml", .text = text_, .by = "alice"}, nobody_);
  EXPECT_EQ(report.outcome, Report::Outcome::kNothingToDo);
  EXPECT_FALSE(find_open_journal(host_.files()).value());
  EXPECT_EQ(state::read_history(host_.files(), "spark1").value().back().id, "cut-off");
}

TEST_F(OpenJournalTest, ALedgerOfANewerVersionIsRefused) {
  host_.files().put("/var/lib/spark-reconcile/spark1/ledger.json",
                    R"({"schema": "spark-reconcile/ledger/v2", "ledger": {}})");
  host::View view(ports_);
  const auto ledger = state::known_ledger(view, "spark1");
  ASSERT_FALSE(ledger);
  EXPECT_EQ(ledger.error().code, ErrorCode::kInvalid);
}

TEST_F(OpenJournalTest, ADamagedOneIsNamedAndKept) {
  apply(seconds(60));
  const auto whole = host_.files().read(kPath).value().value();
  for (const auto* text : {"", "{", "[]", "{\"schema\": \"spark-reconcile/journal/v2\"}"}) {
    host_.files().put(kPath, text);
    const auto open = find_open_journal(host_.files());
    ASSERT_FALSE(open) << text;
    EXPECT_EQ(open.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(open.error().what, HasSubstr(kPath));
  }
  // Any prefix of a whole one too.
  for (std::size_t size = 1; size + 1 < whole.size(); size += 97) {
    host_.files().put(kPath, whole.substr(0, size));
    EXPECT_FALSE(find_open_journal(host_.files())) << size;
  }
}

}  // namespace
}  // namespace spark::apply
