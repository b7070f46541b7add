#include "cli/text/all_nodes_text.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/cli/text_file.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using all_nodes::Order;
using all_nodes::PlanTold;
using all_nodes::Progress;
using all_nodes::Stage;
using testing::HasSubstr;

/// An offer of alice on spark1, with the nodes at these stages.
Progress offer_at(const std::vector<std::optional<Stage>>& stages, Order order = Order::kNone,
                  std::string why = "") {
  Progress progress{.terms = {.id = std::string(32, 'a'),
                              .origin = "spark1",
                              .by = "alice",
                              .digest = "3b55",
                              .nodes = {}},
                    .order = order,
                    .why = std::move(why),
                    .until = {},
                    .nodes = {}};
  for (const auto& stage : stages) {
    const auto name = "spark" + std::to_string(progress.nodes.size() + 1);
    progress.nodes.push_back({.node = name, .stage = stage, .why = {}, .plan = {}});
    progress.terms.nodes.insert(name);
  }
  return progress;
}

std::string plans_of(const Progress& progress, bool has_steps = false) {
  const TextFile out;
  return plans_text(progress, has_steps,
                    Terminal(out.stream(), out.stream(), Color::kNever, false));
}

TEST(AllNodesText, SaysWhatEachNodeWouldDo) {
  auto offer = offer_at({Stage::kYes, Stage::kYes, Stage::kYes, Stage::kRefused});
  const PlanTold plan{.changes = 2,
                      .disturbs = {"interrupts rail 1 for a moment"},
                      .jobs = {"a job uses rocep1s0f0"},
                      .steps = {"~ mtu enp1s0f0np0"}};
  offer.nodes[0].plan = plan;
  offer.nodes[1].plan = plan;
  offer.nodes[3].why = "the plan needs --confirm";
  EXPECT_EQ(plans_of(offer),
            "spark1 (here)  2 changes, a job uses rocep1s0f0, interrupts rail 1 for a moment\n"
            "spark2         2 changes, the same\n"
            "spark3         nothing to do\n"
            "spark4         refused: the plan needs --confirm\n");
  EXPECT_THAT(plans_of(offer, true), HasSubstr("the same\n    ~ mtu enp1s0f0np0\nspark3"));
  EXPECT_EQ(all_nodes_question(offer, std::chrono::minutes(2)),
            "A job that runs now uses what this disturbs. Apply on all four, and roll all back "
            "unless every gate is as good as before within 2 min? [y/N] ");
}

TEST(AllNodesText, AnAnswerOfPlanIsAsSevereAsThatOfTheWorstNode) {
  auto offer = offer_at({Stage::kYes, Stage::kYes, Stage::kYes});
  const auto code = [&] { return exit_code_of(AllNodesEnd::kPlanned, offer, true); };
  EXPECT_EQ(code(), ExitCode::kDone);
  offer.nodes[0].plan.changes = 1;
  EXPECT_EQ(code(), ExitCode::kDifferences);
  offer.nodes[1].plan.waiting = 2;
  EXPECT_EQ(code(), ExitCode::kWaiting);
  offer.nodes[2].plan.unknown = 1;
  EXPECT_EQ(code(), ExitCode::kUnknown);
  EXPECT_EQ(plans_of(offer),
            "spark1 (here)  1 change\n"
            "spark2         nothing to do now, 2 waiting\n"
            "spark3         nothing to do now, 1 unknown\n");
  EXPECT_EQ(exit_code_of(AllNodesEnd::kPlanned, offer), ExitCode::kDone);
}

TEST(AllNodesText, SaysWhoHasNotAnswered) {
  EXPECT_EQ(plans_of(offer_at({Stage::kHeard, std::nullopt})),
            "spark1 (here)  has not answered\nspark2         has not answered\n");
}

TEST(AllNodesText, ShowsTheGatesOnceOneIsKnown) {
  EXPECT_EQ(passing_text(offer_at({Stage::kApplied, Stage::kGoing})),
            "spark1 ✓ applied  spark2 … applies it");
  EXPECT_EQ(passing_text(offer_at({Stage::kOpen, Stage::kApplied})),
            "spark1 ✓ applied  spark2 ✓ applied  gates: ✓ ·");
}

TEST(AllNodesText, SaysOnlyWhatIsNew) {
  const auto before = offer_at({Stage::kGoing, Stage::kGoing});
  auto offer = offer_at({Stage::kGoing, Stage::kApplied});
  offer.nodes[1].why = "waits for an echo of spark1";
  EXPECT_EQ(news_text(before, offer), "spark2: applied: waits for an echo of spark1\n");
  EXPECT_EQ(news_text(offer, offer), "");
}

TEST(AllNodesText, EachEndHasItsCode) {
  const auto ends = [](const Progress& progress, AllNodesEnd end, ExitCode code,
                       bool is_approved = true) {
    EXPECT_EQ(end_of(progress, is_approved), end);
    EXPECT_EQ(exit_code_of(end, progress), code);
    return end_text(progress, end);
  };
  EXPECT_EQ(ends(offer_at({Stage::kKept, Stage::kKept}, Order::kKeep), AllNodesEnd::kKept,
                 ExitCode::kDone),
            "kept on both: every gate is as good as before\n");
  EXPECT_EQ(ends(offer_at({Stage::kBack, std::nullopt}, Order::kBack, "spark2 does not answer"),
                 AllNodesEnd::kRefused, ExitCode::kRefused, false),
            "refused: spark2 does not answer; nothing was changed on any node\n");
  EXPECT_EQ(
      ends(offer_at({Stage::kBack, Stage::kBack}), AllNodesEnd::kRolledBack, ExitCode::kRolledBack),
      "rolled back on both: no decision came in time\n");
  auto stuck = offer_at({Stage::kBack, Stage::kBack}, Order::kBack, "nobody decided in time");
  stuck.nodes[1].why = "spark1 does not answer on rail 1";
  EXPECT_EQ(ends(stuck, AllNodesEnd::kRolledBack, ExitCode::kRolledBack),
            "rolled back on both: nobody decided in time\n"
            "spark2: spark1 does not answer on rail 1\n");
  EXPECT_EQ(ends(offer_at({Stage::kRefused, Stage::kBack}, Order::kBack,
                          "bob on spark2 asks for another file at the same time"),
                 AllNodesEnd::kRefused, ExitCode::kRefused),
            "refused: bob on spark2 asks for another file at the same time; nothing was changed on "
            "any node\n");
  EXPECT_EQ(
      ends(offer_at({Stage::kKept, Stage::kBack}, Order::kKeep), AllNodesEnd::kMixed,
           ExitCode::kRollbackIncomplete),
      "spark1 kept the file, and spark2 went back: `sudo spark-reconcile apply --all` on a node "
      "that has the right file gives it to all\n");
  EXPECT_EQ(ends(offer_at({Stage::kKept, Stage::kOpen}, Order::kKeep), AllNodesEnd::kUnknown,
                 ExitCode::kRollbackIncomplete),
            "decided: it is kept; how it ended is not heard of spark2: `spark-reconcile status` "
            "shows it\n");
}

TEST(AllNodesText, IsPendingUntilThisNodeHasEnded) {
  auto offer = offer_at({Stage::kYes, Stage::kYes});
  EXPECT_EQ(pending_text(offer),
            "alice on spark1 offers another file to all nodes; nothing of it is applied here");
  offer.nodes[0].stage = Stage::kApplied;
  offer.until = test::moment_at("2026-11-21T02:14:00Z");
  EXPECT_EQ(pending_text(offer),
            "pending until 2026-11-21T02:14:00Z: alice on spark1 offers another file; this node "
            "goes back by itself unless all nodes keep it");
  offer.nodes[0].stage = Stage::kKept;
  EXPECT_EQ(pending_text(offer), "");
}

TEST(AllNodesText, JsonHasEachNode) {
  const auto json = to_json(offer_at({Stage::kYes, std::nullopt}), AllNodesEnd::kPlanned);
  EXPECT_EQ(json["outcome"], "planned");
  EXPECT_EQ(json["order"], "none");
  EXPECT_EQ(json["nodes"][0]["stage"], "yes");
  EXPECT_TRUE(json["nodes"][1]["stage"].is_null());
}

}  // namespace
}  // namespace spark::cli
