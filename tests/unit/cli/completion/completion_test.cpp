#include "cli/completion/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/input/options.hpp"
#include "cli/input/verb.hpp"
#include "fake/fake_host.hpp"
#include "state/history.hpp"

namespace spark::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

using Words = std::vector<std::string>;

const LiveValues kThreeNodes{.nodes = [](const Arguments&) -> std::vector<Candidate> {
  return {{"spark1", "number 11"}, {"spark2", ""}, {"other", ""}};
}};

std::vector<std::string> texts(const Words& words, const LiveValues& live = kThreeNodes) {
  std::vector<std::string> found;
  for (const auto& candidate : complete(words, live).candidates) found.push_back(candidate.text);
  return found;
}

TEST(Complete, AVerbByItsFirstLetters) {
  EXPECT_THAT(texts({"pl"}), ElementsAre("plan"));
  EXPECT_THAT(texts({"re"}), ElementsAre("release", "resume"));
  EXPECT_THAT(texts({"di"}), ElementsAre("diff"));
  EXPECT_THAT(texts({"help", "va"}), ElementsAre("validate"));
  EXPECT_THAT(texts({"nonsense"}), IsEmpty());
}

TEST(Complete, EveryVerbButItself) {
  const auto all = texts({""});
  for (const auto* verb : verbs()) EXPECT_THAT(all, Contains(std::string(verb->name)));
  EXPECT_THAT(all, Contains("help"));
  EXPECT_THAT(all, Not(Contains("complete")));
}

TEST(Complete, TheOptionsOfTheVerbAndThoseOfAll) {
  EXPECT_THAT(texts({"plan", "--"}), IsSupersetOf({"--out", "--facts", "--file", "--color"}));
  EXPECT_THAT(texts({"plan", "--"}), Not(Contains("--confirm")));
  EXPECT_THAT(texts({"apply", "--c"}), ElementsAre("--confirm", "--change-id", "--color"));
  EXPECT_THAT(texts({"--d"}), IsEmpty()) << "of no verb yet";
}

TEST(Complete, EveryOptionOfTheTable) {
  const auto expect_all = [](const VerbSpec& verb, std::span<const OptionRow> rows) {
    for (const auto& row : rows) {
      if (row.is_argument()) continue;
      const std::string name(names_in(row).back());
      EXPECT_THAT(texts({std::string(verb.name), name}), Contains(name)) << verb.name;
    }
  };
  for (const auto* verb : verbs()) expect_all(*verb, verb->options.rows);
  expect_all(*verb_named("plan"), common_options());
}

TEST(Complete, NoOptionThatIsGivenAlreadyButV) {
  EXPECT_THAT(texts({"plan", "--json", "-n", "spark1", "--"}),
              Not(::testing::AnyOf(Contains("--json"), Contains("--node"))));
  EXPECT_THAT(texts({"plan", "-v", "--v"}), ElementsAre("--verbose", "--version"));
}

TEST(Complete, OptionsWhereNothingElseCanFollow) {
  EXPECT_THAT(texts({"confirm", ""}), Contains("--json"));
  EXPECT_THAT(texts({"confirm", "--", ""}), IsEmpty());
}

TEST(Complete, NodesOfTheFile) {
  EXPECT_THAT(texts({"plan", "-n", "sp"}), ElementsAre("spark1", "spark2"));
  EXPECT_THAT(texts({"-n", "o"}), ElementsAre("other"));
  EXPECT_THAT(texts({"plan", "--node=sp"}), ElementsAre("spark1", "spark2"));
  const auto nodes = complete({"plan", "--node", ""}, kThreeNodes).candidates;
  EXPECT_EQ(nodes.front(), (Candidate{"spark1", "number 11"}));
}

TEST(Complete, EachNodeOfAListOnce) {
  EXPECT_THAT(texts({"apply", "--all", "--except", "sp"}), ElementsAre("spark1", "spark2"));
  EXPECT_THAT(texts({"apply", "--all", "--except", "spark1,sp"}), ElementsAre("spark1,spark2"));
}

TEST(Complete, NodesByTheFileAndTheRootThatStandBefore) {
  Arguments seen;
  const LiveValues live{.nodes = [&](const Arguments& typed) {
    seen = typed;
    return std::vector<Candidate>{};
  }};
  complete({"-f", "'my file.yaml'", "plan", "--root=/image", "-n", ""}, live);
  EXPECT_EQ(seen.file, "my file.yaml");
  EXPECT_EQ(seen.root, "/image");
  complete({"plan", "-qfmy\\ file.yaml", "-n", ""}, live);
  EXPECT_EQ(seen.file, "my file.yaml");
  EXPECT_EQ(typed_arguments({"--root", "/image", "pl"}).root, "/image");
}

TEST(Complete, GenerationsOfTheHistory) {
  test::FakeHost machine;
  for (const auto* digest : {"3b55", "77e0"}) {
    ASSERT_TRUE(state::add_to_history(
        machine.files(), "spark1",
        {.id = digest, .at = "2026-11-21T21:56:57Z", .by = "alice", .digest = digest}, "text"));
  }
  auto ports = machine.host();
  const auto live = live_values(ports);
  EXPECT_THAT(texts({"rollback", ""}, live), ElementsAre("2", "1"));
  EXPECT_THAT(texts({"history", ""}, live), ElementsAre("list", "diff"));
  EXPECT_THAT(texts({"history", "diff", ""}, live), ElementsAre("2", "1"));
  EXPECT_THAT(texts({"history", "diff", "2", "1"}, live), ElementsAre("1"));
  EXPECT_THAT(texts({"rollback", "-n", "spark2", ""}, live), IsEmpty());
  EXPECT_EQ(complete({"rollback", "1"}, live).candidates.front().about,
            "2026-11-21T21:56:57Z, applied, by alice");
}

TEST(Complete, WordsOfAnOption) {
  EXPECT_THAT(texts({"plan", "--color", "a"}), ElementsAre("auto", "always"));
  EXPECT_THAT(texts({"export", "--format", ""}), ElementsAre("env", "shell", "json"));
  EXPECT_THAT(texts({"export", "v"}), ElementsAre("vllm-env"));
  EXPECT_THAT(texts({"pause", "--for", ""}), Contains("2h"));
  EXPECT_THAT(texts({"mute", "SparkDrift", "--for", ""}), Contains("2h"));
  EXPECT_THAT(texts({"pause", "--reason", ""}), IsEmpty());
}

TEST(Complete, PathsByTheShell) {
  EXPECT_EQ(complete({"plan", "-f", ""}, kThreeNodes).paths, Paths::kFiles);
  EXPECT_EQ(complete({"plan", "--out=x"}, kThreeNodes).paths, Paths::kFiles);
  EXPECT_EQ(complete({"plan", "--root", ""}, kThreeNodes).paths, Paths::kDirectories);
  EXPECT_EQ(complete({"apply", ""}, kThreeNodes).paths, Paths::kFiles);
  EXPECT_EQ(complete({"apply", "saved.plan", ""}, kThreeNodes).paths, Paths::kNone);
  EXPECT_EQ(complete({"plan", ""}, kThreeNodes).paths, Paths::kNone);
}

/// There -f follows.
TEST(Complete, TheShortNameThatAVerbHasTaken) {
  EXPECT_EQ(complete({"events", "-f", ""}, kThreeNodes).paths, Paths::kNone);
  EXPECT_EQ(complete({"events", "--file", ""}, kThreeNodes).paths, Paths::kFiles);
  EXPECT_EQ(complete({"-f", ""}, kThreeNodes).paths, Paths::kFiles);
}

TEST(Complete, NothingForWordsThatAreWrong) {
  EXPECT_THAT(texts({"plan", "--nonsense=x"}), IsEmpty());
  EXPECT_THAT(texts({"nonsense", "--facts", ""}), Contains("plan"));
  EXPECT_THAT(texts({"help", "plan", ""}), IsEmpty());
  EXPECT_THAT(texts({}), Contains("plan"));
}

TEST(WordsToComplete, AreThoseOfTheHiddenCommandLineAlone) {
  const std::vector<const char*> asked{"spark-reconcile", "complete", "--", "plan", ""};
  EXPECT_EQ(words_to_complete(5, asked.data()), (Words{"plan", ""}));
  EXPECT_EQ(words_to_complete(2, asked.data()), std::nullopt);
  const std::vector<const char*> verb{"spark-reconcile", "plan", "--", "x"};
  EXPECT_EQ(words_to_complete(4, verb.data()), std::nullopt);
}

TEST(LinesForShell, HaveTheMeaningAfterATab) {
  EXPECT_EQ(lines_for_shell({.candidates = {{"plan", "show"}, {"a b", "two words"}, {"x", ""}},
                             .paths = Paths::kFiles}),
            ":files\nplan\tshow\nx\t\n");
}

constexpr const char* kUnfinished = R"(version: 1
nodes:
  spark1: { number: 11 }
  spark2: { number: 12, matc
)";

TEST(LiveValues, AreTheNodesOfTheMachinesFile) {
  test::FakeHost host;
  host.files().put("/etc/spark-reconcile/cluster.yaml",
                   "version: 1\ncluster: lab\nnodes: { spark1: { number: 11 }, spark2: {} }\n");
  auto ports = host.host();
  EXPECT_THAT(texts({"plan", "-n", ""}, live_values(ports)), ElementsAre("spark1", "spark2"));
  EXPECT_THAT(texts({"plan", "-f", "-", "-n", ""}, live_values(ports)), IsEmpty())
      << "stdin is the user's";
  EXPECT_THAT(texts({"plan", "-f", "/nowhere", "-n", ""}, live_values(ports)), IsEmpty());
}

TEST(LiveValues, AreThereAlsoWhereTheFileHasErrors) {
  test::FakeHost host;
  host.files().put("/etc/spark-reconcile/cluster.yaml",
                   "version: 1\nnodes: { spark1: { hots: 11 }, spark2: {} }\n");
  auto ports = host.host();
  EXPECT_THAT(texts({"plan", "-n", ""}, live_values(ports)), ElementsAre("spark1", "spark2"));
  host.files().put("/etc/spark-reconcile/cluster.yaml", kUnfinished);
  EXPECT_THAT(texts({"plan", "-n", ""}, live_values(ports)), IsEmpty());
  EXPECT_THAT(host.written(), IsEmpty());
}

TEST(LiveValues, AreTheWordsThatExplainKnows) {
  test::FakeHost host;
  test::add_spark(host);
  host.files().put(
      "/etc/spark-reconcile/cluster.yaml",
      "version: 1\ncluster: lab\nnodes: { spark1: { links: { enp1s0f0np0: { mtu: 9000, "
      "addresses: [192.0.2.7/24] } } } }\n");
  auto ports = host.host();
  const auto live = live_values(ports);
  EXPECT_THAT(texts({"explain", "SR-GATE-01"}, live), Contains("SR-GATE-016"));
  EXPECT_THAT(texts({"explain", "SparkCont"}, live), ElementsAre("SparkContested"));
  EXPECT_THAT(texts({"mute", "SparkCont"}, live), ElementsAre("SparkContested"));
  EXPECT_THAT(texts({"mute", "SR-ALERT-003", "sp"}, live), ElementsAre("spark1"));
  EXPECT_THAT(texts({"explain", "nodes.man"}, live), ElementsAre("nodes.management"));
  EXPECT_THAT(texts({"explain", "spark_reconcile_verd"}, live),
              Contains("spark_reconcile_verdict"));
  EXPECT_THAT(texts({"explain", "mtu/"}, live), ElementsAre("mtu/enp1s0f0np0"));
  EXPECT_THAT(texts({"explain", "address/"}, live), ElementsAre("address/enp1s0f0np0/192.0.2.7"));
  EXPECT_THAT(texts({"explain", "-f", "/nowhere", "mtu/"}, live), IsEmpty());
  EXPECT_THAT(texts({"explain", "mtu/enp1s0f0np0", ""}, live), Not(Contains("SparkContested")));
  EXPECT_THAT(host.written(), IsEmpty());
}

}  // namespace
}  // namespace spark::cli
