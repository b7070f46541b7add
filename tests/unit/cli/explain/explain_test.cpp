// The verb `explain` on a machine in memory.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "protocol/paths.hpp"
#include "protocol/web.hpp"
#include "state/history.hpp"
#include "unit/cli/verb_run.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMtuFile = R"(version: 1
cluster: lab
nodes:
  spark1:
    links:
      enp1s0f0np0: { mtu: 9000 }
      enp1s0f1np1: { mtu: 1500 }
      usb0: { mtu: 1500 }
)";

class ExplainVerb : public testing::Test {
 protected:
  ExplainVerb() {
    test::add_spark(machine_);
    machine_.files().put(protocol::kDefaultFile, kMtuFile);
  }

  Printed says(const std::string& word, bool json = false) {
    std::vector<std::string> words{"explain"};
    if (!word.empty()) words.push_back(word);
    if (json) words.emplace_back("--json");
    return run_typed(machine_, words);
  }
  nlohmann::json as_json(const std::string& word) {
    return nlohmann::json::parse(says(word, true).out);
  }

  test::FakeHost machine_;
};

TEST_F(ExplainVerb, SaysWhatAnIdIsAndWhereMoreIsWritten) {
  const auto shown = says("sr-link-001");
  EXPECT_EQ(shown.code, ExitCode::kDone);
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("SR-LINK-001: no device\n\n"), HasSubstr("Cause       The kernel"),
                    HasSubstr("Do          Plug in the cable"),
                    HasSubstr("Page        docs/reference/errors.md#sr-link-001-no-device\n")));
}

TEST_F(ExplainVerb, OfAResourceThatDiffersSaysWhoAsksForWhatAndWhere) {
  const auto shown = says("mtu/enp1s0f0np0");
  EXPECT_EQ(shown.code, ExitCode::kDone) << shown.err;
  EXPECT_THAT(
      shown.out,
      AllOf(HasSubstr("mtu/enp1s0f0np0: a resource of spark1\n"), HasSubstr("Want        9000\n"),
            HasSubstr("Have        1500\n"), HasSubstr("State       differs\n"),
            HasSubstr(
                "Asked by    /etc/spark-reconcile/cluster.yaml:6: enp1s0f0np0: { mtu: 9000 }\n"),
            HasSubstr("Do          `spark-reconcile apply`\n"),
            HasSubstr("Set by      nothing recorded")));
}

TEST_F(ExplainVerb, OfAResourceSaysHowItStands) {
  EXPECT_EQ(as_json("mtu/enp1s0f1np1")["resource"]["state"], "in_sync");
  EXPECT_EQ(as_json("mtu/enp1s0f1np1")["resource"]["have"], "1500");
  const auto waiting = as_json("mtu/usb0");
  EXPECT_EQ(waiting["resource"]["state"], "waiting");
  EXPECT_EQ(waiting["resource"]["have"], nullptr);
  EXPECT_EQ(waiting["resource"]["want"], "1500");
  EXPECT_EQ(waiting["resource"]["where"]["line"], 8);
  EXPECT_THAT(waiting.dump(), AllOf(HasSubstr("[SR-LINK-001]"), HasSubstr("explain SR-LINK-001")));
}

TEST_F(ExplainVerb, NamesTheLastApplyWhereNoRecordNamesTheResource) {
  ASSERT_TRUE(state::add_to_history(machine_.files(), "spark1",
                                    {.id = "id-1",
                                     .at = "2026-11-21T21:56:57Z",
                                     .by = "alice",
                                     .file = "a",
                                     .digest = "3b55",
                                     .changes = 2},
                                    "text"));
  EXPECT_THAT(says("mtu/enp1s0f1np1").out,
              HasSubstr("Set by      the last apply is generation 1, 2026-11-21T21:56:57Z, by "
                        "alice, with 2 changes"));
}

TEST_F(ExplainVerb, TakesTheDaemonsWordForWhoSetIt) {
  auto state = test::ready_node();
  state.changes = {{.at = test::moment_at("2026-11-22T08:00:01Z"),
                    .cause = node_state::ChangeRecord::Cause::kDrift,
                    .kind = "mtu",
                    .key = "enp1s0f1np1",
                    .before = "9000",
                    .after = "1500"}};
  test::put_state(machine_.files(), state);
  EXPECT_THAT(says("mtu/enp1s0f1np1").out,
              HasSubstr("Set by      the daemon, 2026-11-22T08:00:01Z: 9000 → 1500; someone else "
                        "had changed it\n"));
  machine_.files().put(protocol::kNodeStateFile, "{}");
  EXPECT_THAT(says("mtu/enp1s0f1np1").out, HasSubstr("the daemon is of another version"));
}

TEST_F(ExplainVerb, OfAnUnknownWordNamesTheNearest) {
  const auto shown = says("SR-GATE-61");
  EXPECT_EQ(shown.code, ExitCode::kUsage);
  EXPECT_EQ(shown.out, "");
  EXPECT_THAT(shown.err, AllOf(HasSubstr("unknown word 'SR-GATE-61', did you mean 'SR-GATE-"),
                               Not(HasSubstr("SparkContested"))));
  EXPECT_THAT(says("mtu/enp1s0f0").err, HasSubstr("did you mean 'mtu/enp1s0f0np0'"));
  EXPECT_EQ(says("mtu/enp1s0f0").code, ExitCode::kUsage);
  EXPECT_THAT(says("nodes.managment").err, HasSubstr("'nodes.management'"));
  EXPECT_THAT(says("cabel").err, HasSubstr("did you mean 'cable'"));
  EXPECT_THAT(says("\x1b[2J").err, Not(HasSubstr("\x1b")));
}

TEST_F(ExplainVerb, OfAResourceNeedsAValidFile) {
  machine_.files().put(protocol::kDefaultFile, "version: 1\nclustre: lab\n");
  EXPECT_EQ(says("mtu/enp1s0f0np0").code, ExitCode::kInvalidFile);
  EXPECT_EQ(says("SR-GATE-016").code, ExitCode::kDone) << "an id needs none";
}

TEST_F(ExplainVerb, WithoutAWordListsTheKinds) {
  const auto kinds = as_json("")["kinds"];
  ASSERT_EQ(kinds.size(), 7U);
  EXPECT_EQ(kinds[6]["kind"], "resource");
  EXPECT_EQ(kinds[6]["count"], 3);
  machine_.files().put(protocol::kDefaultFile, "nonsense");
  EXPECT_EQ(as_json("")["kinds"][6]["count"], nullptr);
  EXPECT_THAT(says("").out, HasSubstr("spark-reconcile explain SR-GATE-016\n"));
}

TEST_F(ExplainVerb, WritesNothing) {
  for (const auto* word : {"", "SR-GATE-016", "mtu/enp1s0f0np0", "nonsense"}) says(word);
  EXPECT_TRUE(machine_.written().empty());
}

}  // namespace
}  // namespace spark::cli
