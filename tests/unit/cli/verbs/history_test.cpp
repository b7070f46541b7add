#include "state/history.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "base/moment.hpp"
#include "protocol/source.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

using Outcome = state::Generation::Outcome;

class HistoryOutput : public testing::Test {
 protected:
  void add(const state::Generation& generation) {
    ASSERT_TRUE(state::add_to_history(machine_.files(), "spark1", generation, "text"));
  }

  test::FakeHost machine_;
};

TEST_F(HistoryOutput, OfANodeWithoutAnySaysSo) {
  const auto printed = run_verb("history", machine_);
  EXPECT_EQ(printed.code, ExitCode::kDone);
  EXPECT_EQ(printed.out, "no file was applied here yet\n");
  EXPECT_EQ(printed.err, "");
}

TEST_F(HistoryOutput, HasTheNewestFirst) {
  add({.id = "id-1",
       .at = "2026-11-21T21:56:57Z",
       .by = "alice",
       .file = "/etc/spark-reconcile/cluster.yaml",
       .digest = "3b55aa001122ff",
       .changes = 12});
  add({.id = "id-2",
       .at = "2026-11-22T08:00:01Z",
       .by = "root",
       .file = "/srv/git/cluster.yaml",
       .digest = "77e0aa001122ff",
       .changes = 1,
       .outcome = Outcome::kRolledBackByHand});
  add({.id = "id-3",
       .at = "2026-11-22T08:10:00Z",
       .by = "alice",
       .file = "<stdin>",
       .digest = "90f1aa001122ff",
       .outcome = Outcome::kPending});
  EXPECT_EQ(
      run_verb("history", machine_).out,
      "   3  2026-11-22T08:10:00Z  90f1aa001122  pending                0 changes  alice  <stdin>\n"
      "   2  2026-11-22T08:00:01Z  77e0aa001122  rolled back by hand     1 change  root  "
      "/srv/git/cluster.yaml\n"
      "   1  2026-11-21T21:56:57Z  3b55aa001122  applied               12 changes  alice  "
      "/etc/spark-reconcile/cluster.yaml\n");
}

TEST_F(HistoryOutput, NamesTheCommitThatAFileCameFrom) {
  const auto time = std::chrono::duration_cast<std::chrono::seconds>(
      (now().wall - std::chrono::minutes(4)).time_since_epoch());
  state::Generation generation{.id = "id-1",
                               .at = "2026-11-21T21:56:57Z",
                               .by = "the daemon",
                               .file = protocol::kFollowedFile,
                               .digest = "3b55aa001122ff",
                               .changes = 4};
  generation.commit = state::FileCommit{.id = "3f9a1c02b4d6" + std::string(28, '0'),
                                        .subject = "mtu 9000\x1b[2J",
                                        .principal = "alice@lab",
                                        .tag = {},
                                        .time = time.count()};
  add(generation);
  generation.id = "id-2";
  generation.commit->principal.clear();
  generation.commit->tag = "v2";
  add(generation);
  EXPECT_EQ(
      run_verb("history", machine_).out,
      "   2  2026-11-21T21:56:57Z  3b55aa001122  applied                4 changes  the daemon "
      " 3f9a1c02b4d6 'mtu 9000\\x1b[2J', tag 'v2' (not verified), 4 min old\n"
      "   1  2026-11-21T21:56:57Z  3b55aa001122  applied                4 changes  the daemon "
      " 3f9a1c02b4d6 'mtu 9000\\x1b[2J' (signed by alice@lab), 4 min old\n");
}

TEST_F(HistoryOutput, PaintsTheOutcome) {
  add({.id = "id-4", .at = "2026-11-21T21:56:57Z", .by = "alice", .file = "a", .digest = "3b55"});
  add({.id = "id-5",
       .at = "2026-11-22T08:00:01Z",
       .by = "alice",
       .file = "b",
       .digest = "77e0",
       .outcome = Outcome::kUnconfirmed});
  EXPECT_EQ(run_verb("history", machine_, {.color = Color::kAlways}).out,
            "   2  2026-11-22T08:00:01Z  77e0  \x1b[33munconfirmed        \x1b[0m    0 changes  "
            "alice  b\n"
            "   1  2026-11-21T21:56:57Z  3b55  \x1b[32mapplied            \x1b[0m    0 changes  "
            "alice  a\n");
}

TEST_F(HistoryOutput, GivesTheTerminalNoOrdersOfOthers) {
  add({.id = "id-6",
       .at = "2026-11-21T21:56:57Z",
       .by = "mallory\x1b[2J\n   9",
       .file = "a\x1b[32m\nb",
       .digest = "3b55"});
  EXPECT_EQ(run_verb("history", machine_, {.color = Color::kAlways}).out,
            "   1  2026-11-21T21:56:57Z  3b55  \x1b[32mapplied            \x1b[0m    0 changes  "
            "mallory\\x1b[2J\\x0a   9  a\\x1b[32m\\x0ab\n");
}

}  // namespace
}  // namespace spark::cli
