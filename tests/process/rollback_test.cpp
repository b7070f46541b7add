// What was applied can be taken back: by hand, by the journal of an apply that died, or to the file
// before.

#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "process/spark.hpp"
#include "protocol/paths.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHistory = "/var/lib/spark-reconcile/spark1/history.json";
constexpr const char* kJournal = "/var/lib/spark-reconcile/spark1/journal.json";

class Rollback : public ::testing::Test {
 protected:
  Rollback() { spark_.add_link("enp1s0f0np0"); }

  void apply(const std::string& links) {
    spark_.file_with_links(links);
    ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  }
  /// Dies once it has changed something and before it has finished.
  Outcome interrupted(const std::vector<std::string>& words) const {
    const auto before = spark_.dump();
    for (int nth = 1; nth < 20; ++nth) {
      auto killed = spark_.command(words);
      killed.argv.insert(killed.argv.begin(),
                         {"strace", "-qq", "-o", "/dev/null", "-e", "trace=unlinkat", "-e",
                          fmt::format("inject=unlinkat:signal=KILL:when={}", nth)});
      killed.environment = {"ASAN_OPTIONS=detect_leaks=0"};  // which cannot be done under strace
      auto outcome = run(killed);
      if (outcome.code == 0 || (spark_.dump() != before && has_journal())) {
        return outcome;
      }
    }
    ADD_FAILURE() << "it never came so far";
    return {};
  }
  [[nodiscard]] bool has_journal() const { return !spark_.read(kJournal).empty(); }

  Spark spark_;
};

TEST_F(Rollback, ReturnsToTheLastGoodFileAndPutsItBack) {
  apply("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  const auto good = spark_.read(protocol::kDefaultFile);
  const auto before = spark_.dump();
  apply("enp1s0f0np0: { mtu: 4000, addresses: [198.51.100.1/24] }");
  const auto rejected = spark_.read(protocol::kDefaultFile);
  const auto outcome = spark_.reconcile({"rollback"});
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), good);
  EXPECT_EQ(spark_.read("/etc/spark-reconcile/cluster.yaml.rejected"), rejected);
  EXPECT_THAT(outcome.out, HasSubstr("cluster.yaml.rejected"));
  const auto generations = spark_.json({"history"})["generations"];
  ASSERT_EQ(generations.size(), 3U);
  EXPECT_EQ(generations[0]["outcome"], "applied");
  EXPECT_EQ(generations[1]["outcome"], "rolled_back_by_hand");
  EXPECT_EQ(generations[0]["digest"], generations[2]["digest"]);
}

TEST_F(Rollback, LeavesAFileThatSomebodyHasChangedMeanwhile) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  apply("enp1s0f0np0: { mtu: 4000 }");
  spark_.file_with_links("enp1s0f0np0: { mtu: 5000 }");
  const auto newer = spark_.read(protocol::kDefaultFile);
  EXPECT_THAT(spark_.reconcile({"rollback"}).out, HasSubstr("stays as it is"));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), newer);
}

TEST_F(Rollback, AFileThatNobodyConfirmedAndThatStillStandsGivesWay) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  const auto good = spark_.read(protocol::kDefaultFile);
  apply("enp1s0f0np0: { mtu: 4000 }");
  auto history = nlohmann::json::parse(spark_.read(kHistory));
  history["generations"][1]["outcome"] = "unconfirmed";
  spark_.write(kHistory, history.dump());
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), good);
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(1)) << "there is none before it";
}

// G6: it ended with 0, and the next plan had no file.
TEST_F(Rollback, WritesTheFileAgainThatSomebodyRemoved) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  const auto good = spark_.read(protocol::kDefaultFile);
  apply("enp1s0f0np0: { mtu: 4000 }");
  std::filesystem::remove(spark_.host_path(protocol::kDefaultFile));
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), good);
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
}

// G4: it left no generation, so that the next one returned to the same file again and again.
TEST_F(Rollback, GoesOnToTheFileBeforeWhereItHadNothingToChange) {
  apply("enp1s0f0np0: { addresses: [192.0.2.21/24] }");
  const auto first = spark_.read(protocol::kDefaultFile);
  apply("enp1s0f0np0: { addresses: [192.0.2.22/24] }");
  const auto second = spark_.read(protocol::kDefaultFile);
  ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  spark_.file("# the same, but for this line\n" + second);
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  for (const auto& expected : {second, first}) {
    EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
    EXPECT_EQ(spark_.read(protocol::kDefaultFile), expected);
  }
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.21/24"));
}

// The history ends with a release there, and the node is none any more.
TEST_F(Rollback, AfterAReleaseAndAResumeReturnsToTheFileBefore) {
  apply("enp1s0f0np0: { addresses: [192.0.2.21/24] }");
  const auto first = spark_.read(protocol::kDefaultFile);
  apply("enp1s0f0np0: { addresses: [192.0.2.22/24] }");
  ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  ASSERT_THAT(spark_.reconcile({"resume"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), first);
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.21/24"));
}

// G2: a node that was renamed by mistake stays the node that it was.
TEST_F(Rollback, GoesByTheNodeThatTheMachineWasWhereTheFileNamesItNoMore) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  const auto good = spark_.read(protocol::kDefaultFile);
  apply("enp1s0f0np0: { mtu: 4000 }");
  auto typo = spark_.read(protocol::kDefaultFile);
  typo.replace(typo.find("spark1"), 6, "sparkl");
  spark_.file(typo);
  ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"resume"}), ExitsWith(0));
  EXPECT_THAT(spark_.read("/var/lib/spark-reconcile/spark1/ledger.json"),
              Not(HasSubstr("\"released\"")));
  EXPECT_EQ(spark_.json({"history"})["generations"].size(), 3);
  EXPECT_THAT(spark_.reconcile({"history", "diff"}).err, Not(HasSubstr("nothing records")));
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.json({"history"})["generations"].back()["digest"], sha256_of(good));
}

TEST_F(Rollback, AFileThatWasAppliedTwiceGivesWayOnce) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  apply("enp1s0f0np0: { mtu: 4000 }");
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(1));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
}

TEST_F(Rollback, ACorrectionThatIsRolledBackIsNoFileToReturnTo) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  apply("enp1s0f0np0: { mtu: 4000 }");
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  auto history = nlohmann::json::parse(spark_.read(kHistory));
  history["generations"][2]["outcome"] = "rolled_back_by_hand";
  spark_.write(kHistory, history.dump());
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
}

TEST_F(Rollback, PutsTheFileBackAlsoAfterASavedPlan) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  const auto good = spark_.read(protocol::kDefaultFile);
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000 }");
  const auto plan = spark_.host_path("/change.plan").string();
  ASSERT_THAT(spark_.reconcile({"plan", "--out", plan}), ExitsWith(0));
  ASSERT_THAT(spark_.reconcile({"apply", plan}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), good);
}

TEST_F(Rollback, LeavesAFileFromElsewhereAndNotTheOneThatStandsThere) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  apply("enp1s0f0np0: { mtu: 4000 }");
  ASSERT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  const auto elsewhere = spark_.host_path("/elsewhere.yaml").string();
  spark_.file_with_links("enp1s0f0np0: { mtu: 5000 }");
  spark_.write("/elsewhere.yaml", spark_.read(protocol::kDefaultFile));
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000 }");  // the rejected one again
  const auto standing = spark_.read(protocol::kDefaultFile);
  ASSERT_THAT(spark_.reconcile({"apply", "-f", elsewhere}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"rollback"}).out, HasSubstr("stays as it is"));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), standing);
}

TEST_F(Rollback, ReturnsToAnyGeneration) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  const auto first = spark_.read(protocol::kDefaultFile);
  apply("enp1s0f0np0: { mtu: 4000 }");
  apply("enp1s0f0np0: { mtu: 5000 }");
  const auto third = spark_.read(protocol::kDefaultFile);
  EXPECT_THAT(spark_.reconcile({"rollback", "1"}), ExitsWith(0));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), first);
  EXPECT_EQ(spark_.read("/etc/spark-reconcile/cluster.yaml.rejected"), third);
  // What was rejected can be asked for again.
  EXPECT_THAT(spark_.reconcile({"rollback", "3"}), ExitsWith(0));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 5000);
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), third);
  const auto generations = spark_.json({"history"})["generations"];
  ASSERT_EQ(generations.size(), 5U);
  EXPECT_EQ(generations[0]["digest"], generations[2]["digest"]);
  EXPECT_EQ(generations[0]["outcome"], "applied");
}

TEST_F(Rollback, ToAGenerationThatIsNoneChangesNothing) {
  EXPECT_THAT(spark_.reconcile({"rollback", "1"}).err, HasSubstr("no earlier file to return to"));
  apply("enp1s0f0np0: { mtu: 9000 }");
  apply("enp1s0f0np0: { mtu: 4000 }");
  const auto before = spark_.dump();
  EXPECT_THAT(spark_.reconcile({"rollback", "7"}).err, HasSubstr("no generation 7: it has 1 to 2"));
  EXPECT_THAT(spark_.reconcile({"rollback", "2"}).err, HasSubstr("is the one in force"));
  EXPECT_THAT(spark_.reconcile({"rollback", "0"}), ExitsWith(64));
  EXPECT_THAT(spark_.reconcile({"rollback", "two"}), ExitsWith(64));
  EXPECT_THAT(spark_.reconcile({"rollback", "1", "--overdue"}), ExitsWith(64));
  EXPECT_EQ(spark_.dump(), before);
}

TEST_F(Rollback, ToAGenerationWaitsForWhatIsOpen) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000, addresses: [192.0.2.1/24] }");
  ASSERT_THAT(interrupted({"apply"}), ::testing::Not(ExitsWith(0)));
  const auto outcome = spark_.reconcile({"rollback", "1"});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, HasSubstr("has to go first"));
  EXPECT_TRUE(has_journal());
}

TEST_F(Rollback, AReleaseHasNoFile) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"rollback", "2"}).err, HasSubstr("is a release"));
  EXPECT_THAT(spark_.reconcile({"rollback", "1"}), ExitsWith(0));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
}

TEST_F(Rollback, TheHistoryShowsWhatDiffersBefore) {
  EXPECT_THAT(spark_.reconcile({"history", "diff"}), ExitsWith(1));
  apply("enp1s0f0np0: { mtu: 9000 }");
  EXPECT_THAT(spark_.reconcile({"history", "diff"}).err, HasSubstr("only one file was applied"));
  apply("enp1s0f0np0: { mtu: 4000 }");
  apply("enp1s0f0np0: { mtu: 5000 }");
  const auto last = spark_.reconcile({"history", "diff"}).out;
  EXPECT_THAT(last, AllOf(HasSubstr("\n-      enp1s0f0np0: { mtu: 4000 }\n"),
                          HasSubstr("\n+      enp1s0f0np0: { mtu: 5000 }\n")));
  EXPECT_THAT(last, AllOf(HasSubstr("--- generation 2, "), HasSubstr("+++ generation 3, ")));
  EXPECT_THAT(spark_.reconcile({"history", "diff", "1"}).out,
              AllOf(HasSubstr("--- generation 1, "), HasSubstr("+++ generation 3, ")));
  EXPECT_THAT(spark_.reconcile({"history", "diff", "2", "1"}).out,
              AllOf(HasSubstr("--- generation 2, "), HasSubstr("+++ generation 1, ")));
  EXPECT_THAT(spark_.reconcile({"history", "diff", "2", "2"}).out, HasSubstr("the same lines"));
  EXPECT_THAT(spark_.reconcile({"history", "diff", "1", "9"}), ExitsWith(1));
  EXPECT_THAT(spark_.reconcile({"history", "list", "1"}), ExitsWith(64));
  const auto json = spark_.json({"history", "diff", "1", "2"});
  EXPECT_EQ(json["from"]["number"], 1);
  EXPECT_EQ(json["to"]["number"], 2);
  EXPECT_THAT(json["diff"].get<std::string>(), HasSubstr("@@ "));
}

TEST_F(Rollback, SaysSoWhereThereIsNothingToReturnTo) {
  EXPECT_THAT(spark_.reconcile({"rollback"}).err, HasSubstr("no earlier file"));
  EXPECT_THAT(spark_.reconcile({"history"}).out, HasSubstr("no file was applied"));
  apply("enp1s0f0np0: { mtu: 9000 }");
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(1));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
}

TEST_F(Rollback, RollsBackWhatAKilledApplyHasDone) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24, 198.51.100.1/24] }");
  const auto before = spark_.dump();
  auto killed = spark_.command({"apply"});
  killed.argv.insert(killed.argv.begin(),
                     {"strace", "-qq", "-o", "/dev/null", "-e", "trace=unlinkat", "-e",
                      "inject=unlinkat:signal=KILL:when=4"});
  EXPECT_THAT(run(killed), ::testing::Not(ExitsWith(0)));
  ASSERT_TRUE(has_journal());
  EXPECT_NE(spark_.dump(), before);
  EXPECT_THAT(spark_.reconcile({"confirm"}).err,
              AllOf(HasSubstr("was interrupted"), HasSubstr("rollback")));
  EXPECT_THAT(spark_.reconcile({"doctor"}).out, HasSubstr("was interrupted"));
  for (const auto& words : std::vector<std::vector<std::string>>{{"status"},
                                                                 {"status", "--here"},
                                                                 {"status", "--brief"},
                                                                 {"plan"},
                                                                 {"gate"},
                                                                 {"wait", "--timeout", "1s"},
                                                                 {"history"},
                                                                 {"events"}}) {
    const auto outcome = spark_.reconcile(words);
    EXPECT_THAT(outcome.out + outcome.err,
                AllOf(HasSubstr("was interrupted [SR-JOURNAL-001]"),
                      HasSubstr("`spark-reconcile apply` finishes it"),
                      HasSubstr("`spark-reconcile rollback` rolls it back")))
        << words.front();
  }
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_FALSE(has_journal());
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
}

// It parsed the file in the journal, planned it, and compared with that.
TEST_F(Rollback, NeedsNothingButTheJournalOfAKilledApply) {
  constexpr std::array kOtherFiles{protocol::kDefaultFile, "/etc/spark-reconcile/agent.yaml",
                                   protocol::kInForceRecord};
  apply("enp1s0f0np0: { mtu: 9000 }");
  const auto before = spark_.dump();
  for (const bool are_gone : {true, false}) {
    spark_.file_with_links(
        "enp1s0f0np0: { mtu: 4000, addresses: [192.0.2.1/24, 198.51.100.1/24] }");
    ASSERT_THAT(interrupted({"apply"}), ::testing::Not(ExitsWith(0)));
    ASSERT_NE(spark_.dump(), before);
    for (const auto* path : kOtherFiles) {
      if (are_gone) {
        std::filesystem::remove(spark_.host_path(path));
      } else {
        spark_.write(path, "{");
      }
    }
    const auto outcome = spark_.reconcile({"rollback"});
    EXPECT_THAT(outcome, ExitsWith(0)) << "gone: " << are_gone;
    EXPECT_THAT(outcome.out, HasSubstr("rolled back"));
    EXPECT_EQ(spark_.dump(), before) << "gone: " << are_gone;
    EXPECT_FALSE(has_journal());
  }
}

TEST_F(Rollback, RollsBackTwoThatWereInterruptedOneAfterTheOther) {
  spark_.ip("link set enp1s0f0np0 mtu 1400");
  const auto before = spark_.dump();
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  ASSERT_THAT(interrupted({"apply"}), ::testing::Not(ExitsWith(0)));
  const auto between = spark_.dump();
  ASSERT_NE(between, before);
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000, addresses: [198.51.100.1/24] }");
  ASSERT_THAT(interrupted({"apply"}), ::testing::Not(ExitsWith(0)));
  ASSERT_NE(spark_.dump(), between);
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_FALSE(has_journal());
}

TEST_F(Rollback, ReleasesAfterAnApplyAndAReleaseThatWereInterrupted) {
  const auto before = spark_.dump();
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  ASSERT_THAT(interrupted({"apply"}), ::testing::Not(ExitsWith(0)));
  ASSERT_THAT(interrupted({"release"}), ::testing::Not(ExitsWith(0)));
  EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_FALSE(has_journal());
}

TEST_F(Rollback, SaysWhichRouteOfOthersTheKernelTookAlong) {
  apply("enp1s0f0np0: { addresses: [192.0.2.1/24] }");
  spark_.ip("link set enp1s0f0np0 up");
  spark_.ip("route add 203.0.113.0/24 dev enp1s0f0np0 src 192.0.2.1");
  const auto before = spark_.dump();
  spark_.file_with_links("enp1s0f0np0: { addresses: [198.51.100.1/24] }");
  ASSERT_THAT(interrupted({"apply"}), ::testing::Not(ExitsWith(0)));
  const auto outcome = spark_.reconcile({"rollback"});
  EXPECT_THAT(outcome, ExitsWith(8));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("rolled back"), HasSubstr("route 203.0.113.0/24")));
  EXPECT_FALSE(has_journal()) << "nothing of ours is left to be taken back";
  spark_.ip("route add 203.0.113.0/24 dev enp1s0f0np0 src 192.0.2.1");
  EXPECT_EQ(spark_.dump(), before);
}

TEST_F(Rollback, ASecondInterruptLeavesTheRestToTheJournal) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24, 198.51.100.1/24] }");
  const auto before = spark_.dump();
  int abandoned = 0;
  // From some netlink request on, each is answered with Ctrl-C.
  for (int first = 1; first < 40 && abandoned < 3; ++first) {
    auto command = spark_.command({"apply"});
    command.argv.insert(command.argv.begin(),
                        {"strace", "-qq", "-o", "/dev/null", "-e", "trace=sendto", "-e",
                         "inject=sendto:signal=INT:when=" + std::to_string(first) + "+"});
    command.environment = {"ASAN_OPTIONS=detect_leaks=0"};  // which cannot be done under strace
    const auto outcome = run(command);
    if (outcome.code == 0) {
      break;  // the first came after the last step: nothing is left to be interrupted
    }
    // -1: it was still reading, and a signal ends that.
    ASSERT_THAT(outcome.code, ::testing::AnyOf(-1, 8, 130)) << first << outcome;
    if (outcome.code == 8) {
      ++abandoned;
      EXPECT_THAT(outcome.err, HasSubstr("`spark-reconcile rollback` goes on"));
      EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
    }
    EXPECT_EQ(spark_.dump(), before) << first;
    EXPECT_FALSE(has_journal()) << first;
  }
  EXPECT_GT(abandoned, 0);
}

TEST_F(Rollback, AConfirmedApplyIsRefusedWhereNothingWouldRollItBack) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  const auto before = spark_.dump();
  const auto outcome = spark_.reconcile({"apply", "--confirm", "60s"});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, HasSubstr("--confirm needs systemd"));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_FALSE(has_journal());
}

TEST_F(Rollback, TakesTimesThatSomebodyCanType) {
  for (const auto* time : {"1s", "2h", "x"}) {
    EXPECT_THAT(spark_.reconcile({"apply", "--confirm", time}), ExitsWith(64)) << time;
  }
}

TEST_F(Rollback, NothingIsConfirmedWhereNothingWaits) {
  EXPECT_THAT(spark_.reconcile({"confirm"}).err, HasSubstr("nothing waits for a confirmation"));
  EXPECT_THAT(spark_.reconcile({"rollback", "--overdue"}), ExitsWith(0));
}

TEST_F(Rollback, TheDoctorNamesWhatIsDamagedAndWhoHoldsTheLock) {
  apply("enp1s0f0np0: { mtu: 9000 }");
  EXPECT_THAT(spark_.reconcile({"doctor", "-v"}).out,
              AllOf(HasSubstr("no apply is open"), HasSubstr("can be read")));
  spark_.write("/var/lib/spark-reconcile/spark1/ledger.json", "{");
  spark_.write(kJournal, "[]");
  const auto outcome = spark_.reconcile({"doctor"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("journal.json' is damaged"), HasSubstr("→")));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(1));
  EXPECT_EQ(spark_.read(kJournal), "[]");
}

}  // namespace
}  // namespace spark::test
