#include "cli/verbs/all_nodes.hpp"

#include <csignal>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "cli/question.hpp"
#include "fake/fake_pass.hpp"
#include "protocol/all_nodes.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "unit/cli/verb_run.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using all_nodes::Order;
using all_nodes::Progress;
using all_nodes::Stage;
using protocol::AllNodesWish;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kTwoNodes =
    "version: 1\ncluster: lab\nnodes: { spark1: { number: 1 }, spark2: { number: 2 } }\n";

/// The daemon of spark1 answers each wish with one state of the offer.
class AllNodesVerb : public test::PassTest {
 protected:
  AllNodesVerb() {
    // A shell starts what runs in its background with SIGINT ignored, nohup(1) with SIGHUP.
    for (const int held : {SIGINT, SIGHUP}) static_cast<void>(std::signal(held, SIG_DFL));
    host_.files().put(protocol::kDefaultFile, kTwoNodes);
    test::put_state(host_.files(), test::ready_node());
    host_.add_overwriter(protocol::kAllNodesAskFile, [this] { answer(); });
    becomes(AllNodesWish::kOffer, Stage::kYes);
    becomes(AllNodesWish::kApprove, Stage::kKept, Order::kKeep);
    becomes(AllNodesWish::kCancel, Stage::kBack, Order::kBack, "interrupted");
  }

  /// Both nodes are at that stage after that wish.
  void becomes(AllNodesWish wish, Stage stage, Order order = Order::kNone, std::string why = "") {
    answers_[wish] = {.terms = {.id = {},
                                .origin = "spark1",
                                .by = "alice",
                                .digest = "3b55",
                                .nodes = {"spark1", "spark2"}},
                      .order = order,
                      .why = std::move(why),
                      .until = {},
                      .nodes = {{"spark1", stage, "", {}}, {"spark2", stage, "", {}}}};
  }
  /// As the daemon shows the offer after that wish.
  void show(AllNodesWish wish) {
    auto state = test::ready_node();
    state.all_nodes = answers_[wish];
    state.all_nodes->terms.id = id_.empty() ? ask_.id : id_;
    test::put_state(host_.files(), state);
  }
  Printed answered(const std::vector<std::string>& words, std::optional<bool> answer) {
    static AllNodesVerb* self = nullptr;
    static std::optional<bool> says;
    static ExitCode (*inner)(const Command&) = nullptr;
    self = this;
    says = answer;
    const auto arguments = typed_as(words);
    inner = arguments.verb->run;
    return run_verb(
        [](const Command& command) {
          return ask_before(command, inner, [](const std::string& prompt) {
            self->prompt_ = prompt;
            if (self->while_asked_) self->while_asked_();
            return says;
          });
        },
        host_, arguments);
  }

  std::vector<AllNodesWish> wishes_;
  std::map<AllNodesWish, Progress> answers_;
  std::function<void()> meanwhile_;    ///< while the offer is applied
  std::function<void()> while_asked_;  ///< while the question stands
  protocol::AllNodesAsk ask_;
  std::string id_;  ///< of the offer that the daemon shows; empty: of the ask
  std::string prompt_;

 private:
  void answer() {
    const auto ask = document_from_text<protocol::AllNodesAsk>(
        protocol::kAllNodesAskSchema, *host_.files().read(protocol::kAllNodesAskFile).value());
    ASSERT_TRUE(ask) << ask.error().what;
    ask_ = *ask;
    wishes_.push_back(ask_.wish);
    show(ask_.wish);
    if (meanwhile_ && ask_.wish == AllNodesWish::kApprove) meanwhile_();
  }
};

TEST_F(AllNodesVerb, ApplyGivesTheFileToAll) {
  const auto printed = answered({"apply", "--all", "--within", "30s"}, true);
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_EQ(prompt_,
            "Apply on both, and roll all back unless every gate is as good as before within 30 s? "
            "[y/N] ");
  EXPECT_THAT(printed.out, HasSubstr("kept on both"));
  EXPECT_THAT(wishes_, ElementsAre(AllNodesWish::kOffer, AllNodesWish::kApprove));
  EXPECT_EQ(ask_.text, kTwoNodes);
  EXPECT_EQ(ask_.within, std::chrono::seconds(30));
  EXPECT_EQ(ask_.id.size(), 32U);
}

TEST_F(AllNodesVerb, WithoutAYesItIsCancelled) {
  const auto printed = answered({"apply", "--all"}, false);
  EXPECT_EQ(printed.code, ExitCode::kRefused);
  EXPECT_EQ(printed.err, "not carried out; nothing was changed\n");
  EXPECT_THAT(wishes_, ElementsAre(AllNodesWish::kOffer, AllNodesWish::kCancel));
}

TEST_F(AllNodesVerb, AYesThatComesTooLateChangesNothing) {
  becomes(AllNodesWish::kCancel, Stage::kBack, Order::kBack, "nobody said yes within 5 min");
  while_asked_ = [this] { show(AllNodesWish::kCancel); };
  const auto printed = answered({"apply", "--all"}, true);
  EXPECT_EQ(printed.code, ExitCode::kRefused);
  EXPECT_EQ(printed.err,
            "refused: nobody said yes within 5 min; nothing was changed on any node\n");
  EXPECT_THAT(wishes_, ElementsAre(AllNodesWish::kOffer));
}

TEST_F(AllNodesVerb, PlanAsksNobodyToApply) {
  answers_[AllNodesWish::kOffer].nodes[1].plan = {
      .changes = 2, .disturbs = {}, .jobs = {}, .steps = {}};
  const auto printed = run_typed(host_, {"plan", "--all", "--detailed-exitcode"});
  EXPECT_EQ(printed.code, ExitCode::kDifferences) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("spark2         2 changes\n"));
  EXPECT_THAT(wishes_, ElementsAre(AllNodesWish::kOffer, AllNodesWish::kCancel));
}

TEST_F(AllNodesVerb, ARefusalIsToldWithItsReason) {
  becomes(AllNodesWish::kOffer, Stage::kBack, Order::kBack, "no key of spark2 is known here");
  const auto printed = run_typed(host_, {"apply", "--all"});
  EXPECT_EQ(printed.code, ExitCode::kRefused);
  EXPECT_EQ(printed.err,
            "refused: no key of spark2 is known here; nothing was changed on any node\n");
  EXPECT_EQ(printed.out, "");
}

TEST_F(AllNodesVerb, WhoIsCancelledForAnotherIsToldWho) {
  id_ = std::string(32, 'f');
  answers_[AllNodesWish::kOffer].terms.origin = "spark2";
  const auto printed = run_typed(host_, {"apply", "--all"});
  EXPECT_EQ(printed.code, ExitCode::kRefused);
  EXPECT_THAT(printed.err, HasSubstr("alice on spark2 asks for another file at the same time: "
                                     "this one was cancelled"));
  EXPECT_THAT(wishes_, ElementsAre(AllNodesWish::kOffer, AllNodesWish::kCancel));
  id_ = std::string(32, 'e');
  answers_[AllNodesWish::kOffer].terms.origin = "spark1";
  static_cast<void>(run_typed(host_, {"apply", "--all"}));
  EXPECT_EQ(wishes_.back(), AllNodesWish::kOffer) << "the ask of somebody else stands there";
}

TEST_F(AllNodesVerb, AnInterruptionBeforeTheDecisionRollsAllBack) {
  becomes(AllNodesWish::kApprove, Stage::kGoing, Order::kGo);
  meanwhile_ = [] { static_cast<void>(raise(SIGINT)); };
  const auto printed = run_typed(host_, {"apply", "--all"});
  EXPECT_EQ(printed.code, ExitCode::kInterrupted);
  EXPECT_EQ(wishes_.back(), AllNodesWish::kCancel);
  EXPECT_THAT(printed.err, HasSubstr("rolled back on both: interrupted"));
}

TEST_F(AllNodesVerb, AClosedTerminalChangesNothing) {
  becomes(AllNodesWish::kApprove, Stage::kGoing, Order::kGo);
  meanwhile_ = [] { static_cast<void>(raise(SIGHUP)); };
  const auto printed = run_typed(host_, {"apply", "--all"});
  EXPECT_EQ(printed.code, ExitCode::kInterrupted);
  EXPECT_EQ(wishes_.back(), AllNodesWish::kApprove);
  EXPECT_EQ(printed.err, "");
}

TEST_F(AllNodesVerb, JsonSaysHowItEnded) {
  const auto printed = run_typed(host_, {"apply", "--all", "--json"});
  const auto document = parse_json(printed.out);
  ASSERT_TRUE(document) << printed.out;
  EXPECT_EQ((*document)["schema"], "spark-reconcile/all-nodes/v1");
  EXPECT_EQ((*document)["outcome"], "kept");
  EXPECT_EQ((*document)["terms"]["id"], ask_.id);
}

TEST_F(AllNodesVerb, GitIsAnotherWay) {
  auto state = test::ready_node();
  state.source = node_state::SourceState{};
  state.source->url = "https://git.example.org/lab.git";
  test::put_state(host_.files(), state);
  const auto printed = run_typed(host_, {"apply", "--all"});
  EXPECT_EQ(printed.code, ExitCode::kRefused);
  EXPECT_THAT(printed.err, HasSubstr("the file's way is git"));
  EXPECT_THAT(wishes_, testing::IsEmpty());
}

TEST_F(AllNodesVerb, NeedsADaemon) {
  host_.files().erase(protocol::kNodeStateFile);
  const auto printed = run_typed(host_, {"apply", "--all"});
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_THAT(printed.err, HasSubstr("systemctl start spark-reconcile"));
}

TEST_F(AllNodesVerb, ExceptNamesOtherNodesOfTheFile) {
  EXPECT_EQ(run_typed(host_, {"apply", "--all", "--except", "spark9"}).code, ExitCode::kError);
  EXPECT_EQ(run_typed(host_, {"apply", "--all", "--except", "spark1"}).code, ExitCode::kError);
  EXPECT_THAT(wishes_, testing::IsEmpty());
}

TEST_F(AllNodesVerb, ExceptNamesANodeThatTheFileRemoves) {
  const std::string former =
      "version: 1\ncluster: lab\nnodes: { spark1: { number: 1 }, spark2: { number: 2 }, "
      "spark3: { number: 3 } }\n";
  host_.files().put(protocol::kLastGoodFile, former);
  const auto printed = run_typed(host_, {"apply", "--all", "--except", "spark3"});
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_THAT(ask_.except, ElementsAre("spark3"));
}

TEST_F(AllNodesVerb, StatusSaysWhatIsUnderWay) {
  auto state = test::ready_node();
  state.all_nodes = answers_[AllNodesWish::kOffer];
  state.file.waits_for_all = true;
  test::put_state(host_.files(), state);
  EXPECT_THAT(
      run_typed(host_, {"status", "--brief"}).out,
      AllOf(HasSubstr("; alice on spark1 offers another file to all nodes; "),
            HasSubstr("; the file has changed and waits: `sudo spark-reconcile apply --all`")));
  const auto document = parse_json(run_typed(host_, {"status", "--json"}).out);
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)["all_nodes"]["terms"]["origin"], "spark1");
}

TEST_F(AllNodesVerb, RollbackOffersTheFileBefore) {
  const std::string first = "version: 1\ncluster: lab\nnodes: { spark1: { number: 1 } }\n";
  for (const auto& text : {first, std::string(kTwoNodes)}) {
    ASSERT_TRUE(state::add_to_history(host_.files(), "spark1",
                                      {.id = sha256_of(text),
                                       .at = "2026-11-21T21:56:57Z",
                                       .by = "alice",
                                       .file = protocol::kDefaultFile,
                                       .digest = sha256_of(text)},
                                      text));
  }
  const auto printed = run_typed(host_, {"rollback", "--all"});
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_EQ(ask_.text, first);
  EXPECT_EQ(ask_.rejects, sha256_of(kTwoNodes));
  EXPECT_THAT(printed.out, HasSubstr("returns to the file of generation 1"));
}

TEST(AllNodesOptions, OfOneNodeContradictThem) {
  const TypedLine line({"apply", "--within", "30s"});
  EXPECT_EQ(contradiction_of_all({.within = std::chrono::seconds(30)}, line, false),
            "--within and --except go with --all: `sudo spark-reconcile apply --within 30s --all`");
  EXPECT_THAT(contradiction_of_all({.node = "spark1", .all = true}, line, false),
              HasSubstr("leave out what is about one node"));
  EXPECT_EQ(contradiction_of_all({.all = true}, line, false), "");
}

}  // namespace
}  // namespace spark::cli
