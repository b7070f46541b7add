#include "daemon/reconcile/source_follower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"
#include "daemon/reconcile/reconciler.hpp"
#include "fake/fake_pass.hpp"
#include "fake/names.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/in_force_file.hpp"
#include "state/ledger.hpp"

namespace spark::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using test::kRail;

/// A node whose file comes from git.
class SourceFollower : public test::PassTest {
 protected:
  SourceFollower() {
    host_.files().put(protocol::kDefaultFile, text_);
    settings_.emplace(config::SourceSpec{.url = {"https://git.example.org/lab.git", {}}});
    settings_->settle = {std::chrono::milliseconds(0), {}};
    accept(text_);
  }

  void accept(const std::string& text) {
    host_.files().put(protocol::kFollowedFile, text);
    judgement_ =
        protocol::Judgement{.url = settings_->url.value, .branch = "main", .path = "cluster.yaml"};
    judgement_->accepted = protocol::AcceptedCommit{.commit = std::string(40, 'a'),
                                                    .digest = config::parse(text).cluster.digest,
                                                    .subject = "mtu",
                                                    .principal = "alice@lab"};
  }

  static std::string with_mtu(const std::string& mtu) {
    auto text = test::pair_text();
    return text.replace(text.find("9000"), 4, mtu);
  }

  std::uint32_t mtu() {
    auto ports = host_.host();
    host::View view(ports);
    return view.link(kRail)->mtu;
  }

  PassOutcome pass() { return reconciler().pass({.triggers = {{"test", 1}}, .writers = writers_}); }

  /// A gate with one fact of this node.
  PassOutcome gate_shows(gate::Verdict verdict) {
    gate::GateReport report;
    report.node.push_back(
        {.verdict = verdict, .id = "SR-GATE-002", .name = "mtu", .measured = "as seen"});
    return reconciler().take_verdict(GateObservation{.report = report, .at = now()});
  }

  Reconciler& reconciler() {
    if (!reconciler_) {
      reconciler_.emplace(
          ports_, ReconcilerOptions{.file = protocol::kDefaultFile,
                                    .version = "0",
                                    .source_rules = {.settings = [this] { return settings(); },
                                                     .judgement = [this] { return judged(); }},
                                    .removal_rest = std::chrono::seconds(0)});
    }
    return *reconciler_;
  }
  void restart() { reconciler_.reset(); }

  Result<std::optional<config::SourceSpec>> settings() {
    if (is_broken_) return fail(ErrorCode::kInvalid, "agent.yaml:1:1: broken");
    return settings_;
  }
  Result<std::optional<protocol::Judgement>> judged() { return judgement_; }

  bool is_broken_ = false;
  std::optional<config::SourceSpec> settings_;
  std::optional<protocol::Judgement> judgement_;
  std::map<int, std::string> writers_;
  std::optional<Reconciler> reconciler_;
};

TEST_F(SourceFollower, AppliesTheAcceptedFileAndNotThatOfTheMachine) {
  accept(with_mtu("4000"));
  const auto state = pass().state;
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_EQ(state.file.path, protocol::kFollowedFile);
  ASSERT_TRUE(state.source);
  EXPECT_EQ(state.source->principal, "alice@lab");
  EXPECT_TRUE(state.source->on_trial);
}

TEST_F(SourceFollower, HasSystemdFetchWhileARepositoryIsFollowed) {
  pass();
  EXPECT_TRUE(host_.bus().is_active("spark-reconcile-fetch.timer"));
  EXPECT_TRUE(host_.bus().is_active("spark-reconcile-judge.path"));
  host_.forget_writes();
  pass();
  EXPECT_EQ(host_.writes(), 0U);
  settings_.reset();
  pass();
  EXPECT_FALSE(host_.bus().is_active("spark-reconcile-fetch.timer"));
  EXPECT_FALSE(host_.bus().is_active("spark-reconcile-judge.path"));
}

TEST_F(SourceFollower, AsksSystemdNothingWhereNoRepositoryIsFollowed) {
  settings_.reset();
  pass();
  host_.forget_writes();
  pass();
  EXPECT_EQ(host_.writes(), 0U);
}

TEST_F(SourceFollower, TakesNoTextButTheAcceptedOne) {
  pass();
  host_.files().put(protocol::kFollowedFile, with_mtu("4000"));
  pass();
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(SourceFollower, KeepsTheFormerFileAsTheLastGoodOneUntilTheTrialIsOver) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  EXPECT_EQ(host_.files().read(protocol::kLastGoodFile).value().value_or(""), text_);
  accept(with_mtu("4000"));
  pass();
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_EQ(host_.files().read(protocol::kLastGoodFile).value().value_or(""), text_);
  gate_shows(gate::Verdict::kReady);
  const auto state = gate_shows(gate::Verdict::kReady).state;
  EXPECT_EQ(host_.files().read(protocol::kLastGoodFile).value().value_or(""), with_mtu("4000"));
  EXPECT_FALSE(state.source->on_trial);
}

TEST_F(SourceFollower, ReturnsFromAFileThatFailsAndDoesNotTryItAgain) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  accept(with_mtu("4000"));
  pass();
  gate_shows(gate::Verdict::kNotReady);
  gate_shows(gate::Verdict::kNotReady);
  const auto state = pass().state;
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_THAT(state.file.refused, HasSubstr("SR-GATE-002"));
  EXPECT_THAT(state.source->bad, SizeIs(1));
  pass();
  EXPECT_EQ(mtu(), 9000U);
  restart();
  const auto later = pass().state;
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_THAT(later.file.refused, HasSubstr("sync --retry"));
  EXPECT_EQ(later.file.digest, config::parse(text_).cluster.digest);
}

TEST_F(SourceFollower, NotesInTheHistoryFromWhichCommitAFileCame) {
  accept(with_mtu("5000"));
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  accept(with_mtu("4000"));
  judgement_->accepted->commit = std::string(40, 'b');
  judgement_->accepted->principal.clear();
  pass();
  gate_shows(gate::Verdict::kNotReady);
  gate_shows(gate::Verdict::kNotReady);
  restart();
  pass();  // the time of the trial begins again
  gate_shows(gate::Verdict::kNotReady);
  gate_shows(gate::Verdict::kNotReady);
  pass();
  EXPECT_EQ(mtu(), 5000U);
  const auto history = state::read_history(host_.files(), "spark1").value();
  ASSERT_THAT(history, SizeIs(3));
  std::vector<std::string> commits;
  for (const auto& generation : history) {
    ASSERT_TRUE(generation.commit);
    commits.push_back(generation.commit->id.substr(0, 1) + generation.commit->principal);
  }
  EXPECT_THAT(commits, testing::ElementsAre("aalice@lab", "b", "aalice@lab"))
      << "the file that it returned to is that of the first commit";
}

TEST_F(SourceFollower, TriesABadFileAgainWhenItIsForgotten) {
  pass();
  ASSERT_TRUE(state::tell_in_force(
      host_.files(),
      state::events::NotApplied{state::BadFile{
          .digest = config::parse(with_mtu("4000")).cluster.digest, .why = "x", .at = ""}}));
  accept(with_mtu("4000"));
  pass();
  EXPECT_EQ(mtu(), 9000U);
  ASSERT_TRUE(state::tell_in_force(host_.files(), state::events::Retried{}));
  restart();
  pass();
  EXPECT_EQ(mtu(), 4000U);
}

TEST_F(SourceFollower, JudgesAFileAfterARestartByWhatHeldBeforeItsFirstApply) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  settings_->settle = {std::chrono::hours(1), {}};
  accept(with_mtu("4000"));
  pass();
  gate_shows(gate::Verdict::kNotReady);
  restart();
  settings_->settle = {std::chrono::milliseconds(0), {}};
  pass();
  gate_shows(gate::Verdict::kNotReady);
  gate_shows(gate::Verdict::kNotReady);
  EXPECT_THAT(pass().state.source->bad, SizeIs(1));
}

// A1: the file came while the node was off, and was called good without a look.
TEST_F(SourceFollower, JudgesAFileThatCameWhileTheDaemonWasAwayByWhatHeldBefore) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  restart();
  accept(with_mtu("4000"));
  pass();
  EXPECT_EQ(mtu(), 4000U);
  gate_shows(gate::Verdict::kNotReady);
  EXPECT_THAT(pass().state.source->bad, SizeIs(1));
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(SourceFollower, LooksOnceBeforeItTakesAFileWhereNobodyLookedBefore) {
  host_.files().put(protocol::kLastGoodFile, text_);  // of 0.2.0
  accept(with_mtu("4000"));
  const auto outcome = pass();
  EXPECT_TRUE(outcome.gate_due);
  EXPECT_EQ(outcome.again_in, std::nullopt) << "the gate is looked at between passes";
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_TRUE(gate_shows(gate::Verdict::kReady).pass_due);
  pass();
  EXPECT_EQ(mtu(), 4000U);
}

TEST_F(SourceFollower, TakesAFileThatNamesThisMachineWhereTheOneInForceDoesNot) {
  auto of_others = text_;
  of_others.replace(of_others.find("spark1:"), 6, "spark9");
  host_.files().put(protocol::kLastGoodFile, of_others);
  accept(with_mtu("4000"));
  EXPECT_TRUE(pass().gate_due);
  EXPECT_TRUE(reconciler().take_verdict(std::nullopt).pass_due) << "no look is possible";
  pass();
  EXPECT_EQ(mtu(), 4000U);
}

TEST_F(SourceFollower, CorrectsNothingByTheOldFileWhileTheNextOneWaitsForTheLock) {
  pass();
  gate_shows(gate::Verdict::kReady);
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 1500));
  accept(with_mtu("4000"));
  // Somebody has just applied by hand, or resumed.
  host_.files().before_lock([this] {
    const auto path = state::ledger_path("spark1");
    host_.files().put(path, *host_.files().read(path).value() + "\n");
  });
  EXPECT_EQ(pass().again_in, std::chrono::seconds(1));
  EXPECT_EQ(mtu(), 1500U);
  EXPECT_FALSE(reconciler().correct_network(writers_)) << "an event comes before the next pass";
  EXPECT_EQ(mtu(), 1500U);
  pass();
  EXPECT_EQ(mtu(), 4000U);
}

TEST_F(SourceFollower, TakesTheNextFileWithoutALookWhereATrialHasJustEnded) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  accept(with_mtu("4000"));
  EXPECT_FALSE(pass().gate_due);
  EXPECT_EQ(mtu(), 4000U);
}

// A2: a restart in a trial turned the rails back and forth.
TEST_F(SourceFollower, ARestartDuringATrialLeavesItsFileInForce) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  settings_->settle = {std::chrono::hours(1), {}};
  accept(with_mtu("4000"));
  pass();
  restart();
  host_.files().erase(protocol::kFollowedFile);
  judgement_->accepted.reset();
  const auto state = pass().state;
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_THAT(state.changes, IsEmpty());
  EXPECT_TRUE(state.source->on_trial);
}

// The disk is full: the file is applied, and that cannot be noted.
TEST_F(SourceFollower, WhatIsAppliedAndCannotBeNotedIsNotTurnedBack) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  accept(with_mtu("4000"));
  host_.add_overwriter("set mtu", [this] { host_.refuse_if("in_force.json"); });
  EXPECT_GE(pass().again_in, std::chrono::seconds(1));
  EXPECT_EQ(mtu(), 4000U);
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 1500));
  pass();
  EXPECT_NE(mtu(), 9000U) << "that is of the file before";
  host_.refuse_if("");
  EXPECT_TRUE(pass().state.source->on_trial);
  EXPECT_EQ(mtu(), 4000U);
}

// A5: the fix that waits behind a bad file was dropped with it.
TEST_F(SourceFollower, ABadFileTakesNoOtherAlong) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  accept(with_mtu("4000"));
  pass();
  gate_shows(gate::Verdict::kNotReady);
  accept(with_mtu("5000"));
  const auto state = pass().state;
  EXPECT_EQ(mtu(), 5000U);
  EXPECT_THAT(state.file.refused, IsEmpty());
}

TEST_F(SourceFollower, SaysWhyNothingIsThereYet) {
  judgement_->accepted.reset();
  judgement_->refused = protocol::SourceFault{.id = "SR-GIT-024", .what = "commit 1 is not signed"};
  ASSERT_TRUE(host_.files().remove(protocol::kFollowedFile));
  EXPECT_THAT(pass().state.file.refused, HasSubstr("SR-GIT-024"));
}

TEST_F(SourceFollower, KeepsTheLastGoodFileWhereTheSettingsAreBrokenAtAStart) {
  accept(with_mtu("4000"));
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  restart();
  is_broken_ = true;
  const auto state = pass().state;
  EXPECT_EQ(mtu(), 4000U) << "and not the file of this machine, which says 9000";
  EXPECT_THAT(state.file.refused, HasSubstr("broken"));
  EXPECT_THAT(state.source->error, HasSubstr("broken"));
  gate_shows(gate::Verdict::kReady);
  is_broken_ = false;
  EXPECT_THAT(pass().state.file.refused, IsEmpty());
}

TEST_F(SourceFollower, TakesNothingThatWasJudgedByOtherSettings) {
  pass();
  accept(with_mtu("4000"));
  settings_->from = config::At<std::string>{std::string(40, 'b'), {}};
  pass();
  EXPECT_EQ(mtu(), 9000U);
  judgement_->from = std::string(40, 'b');
  pass();
  EXPECT_EQ(mtu(), 4000U);
}

TEST_F(SourceFollower, JudgesASecondFileByWhatHeldBeforeTheFirst) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  settings_->settle = {std::chrono::hours(1), {}};
  accept(with_mtu("4000"));
  pass();
  gate_shows(gate::Verdict::kNotReady);
  settings_->settle = {std::chrono::milliseconds(0), {}};
  accept(with_mtu("5000"));
  pass();
  gate_shows(gate::Verdict::kNotReady);
  gate_shows(gate::Verdict::kNotReady);
  pass();
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(SourceFollower, ReturnsToNothingOnANodeThatWasReleasedDuringTheTrial) {
  pass();
  gate_shows(gate::Verdict::kReady);
  gate_shows(gate::Verdict::kReady);
  accept(with_mtu("4000"));
  EXPECT_TRUE(pass().state.source->on_trial);
  ASSERT_EQ(test::release_on(ports_, test::node_on(host_, with_mtu("4000"))).outcome,
            apply::Report::Outcome::kApplied);
  const auto released = mtu();
  EXPECT_TRUE(pass().state.released);
  // Nothing is set on it, so nothing says whether the file is good or bad.
  for (int i = 0; i < 3; ++i) {
    gate_shows(gate::Verdict::kNotReady);
    pass();
  }
  EXPECT_EQ(mtu(), released);
  const auto state = pass().state;
  EXPECT_THAT(state.source->bad, IsEmpty());
  EXPECT_TRUE(state.source->on_trial);
  // The release ends, and the trial is judged by what held before it.
  ASSERT_TRUE(state::end_release(ports_, "spark1"));
  pass();
  EXPECT_EQ(mtu(), 4000U);
  gate_shows(gate::Verdict::kReady);
  EXPECT_FALSE(gate_shows(gate::Verdict::kReady).state.source->on_trial);
  EXPECT_EQ(host_.files().read(protocol::kLastGoodFile).value().value_or(""), with_mtu("4000"));
}

TEST_F(SourceFollower, FollowsTheMachinesFileAgainOnceThatIsStopped) {
  accept(with_mtu("4000"));
  pass();
  settings_.reset();
  EXPECT_EQ(pass().state.file.path, protocol::kDefaultFile);
  EXPECT_EQ(mtu(), 9000U);
}

}  // namespace
}  // namespace spark::daemon
