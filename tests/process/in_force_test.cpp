// Which file is in force, and who says so: beside a daemon that refuses the file that is there, on
// a node that follows git, and after a rollback.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "process/daemon_world.hpp"
#include "process/monitor.hpp"
#include "protocol/source.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAgent = "/etc/spark-reconcile/agent.yaml";
constexpr const char* kFormer = "/etc/spark-reconcile/cluster.yaml.before-follow";
constexpr const char* kUrl = "https://git.example.org/lab.git";

class InForce : public Daemon {
 protected:
  void stop() {
    daemon_->signal(SIGTERM);
    EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  }
  [[nodiscard]] static std::string text_with(const std::string& link) {
    return "version: 1\ncluster: test\nnodes:\n  spark1:\n    number: 11\n    links:\n      "
           "enp1s0f0np0: " +
           link + "\n";
  }
  /// A merge that went wrong; returns once the daemon has seen it.
  void break_file() {
    spark_.file("version: 1\ncluster: test\nnodes:\n  spark1:\n    number: 11\n    linkz: {}\n");
    wait_until([&] { return status()["file"]["refused"].is_object(); });
  }

  /// What the judging program leaves, as of a commit that it accepted.
  void accept(const std::string& text, char commit) {
    spark_.write(protocol::kFollowedFile, text);
    const nlohmann::json judgement{{"schema", protocol::kJudgementSchema},
                                   {"url", kUrl},
                                   {"branch", "main"},
                                   {"path", "cluster.yaml"},
                                   {"accepted",
                                    {{"commit", std::string(40, commit)},
                                     {"digest", sha256_of(text)},
                                     {"subject", "lab: mtu"},
                                     {"time", 1'767'000'000},
                                     {"at", "2026-01-31T09:30:00Z"}}}};
    spark_.write(protocol::kJudgementFile, judgement.dump());
  }
  /// Starts a daemon that follows git and has that file in force; the machine's own is years old.
  void start_to_follow(const std::string& text) {
    spark_.write(kAgent, fmt::format("source:\n  url: {}\n  verify: none\n", kUrl));
    accept(text, '4');
    start();
    wait_until([&] { return status()["digest"] == sha256_of(text); });
  }
  [[nodiscard]] std::string alerts() const {
    return spark_.read("/var/lib/spark-reconcile/alerts.json");
  }
};

TEST_F(InForce, ATypoInAMergeDoesNotBreakTheEnvironmentOfNewJobs) {
  start();
  const std::vector<std::vector<std::string>> verbs{{"status"},
                                                    {"status", "--brief"},
                                                    {"status", "--here"},
                                                    {"gate"},
                                                    {"topology"},
                                                    {"export"},
                                                    {"bench"},
                                                    {"export", "ansible-inventory"}};
  std::vector<Outcome> before;
  for (const auto& verb : verbs) before.push_back(spark_.reconcile(verb));
  break_file();
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    const auto outcome = spark_.reconcile(verbs[i]);
    EXPECT_EQ(outcome.code, before[i].code) << verbs[i].back() << outcome.err;
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("/etc/spark-reconcile/cluster.yaml:6:5: error: unknown key"),
                      HasSubstr("it is refused, so this is of the file in force"),
                      HasSubstr("`spark-reconcile validate`"), Not(HasSubstr("linkz: {}"))));
  }
  const auto inventory = spark_.reconcile({"export", "ansible-inventory"});
  EXPECT_THAT(inventory, ExitsWith(0));
  EXPECT_EQ(inventory.out, before.back().out);
  EXPECT_THAT(spark_.reconcile({"validate"}), ExitsWith(5));
  EXPECT_THAT(spark_.reconcile({"plan"}), ExitsWith(5));
  const auto shown = spark_.json({"status"})["not_in_force"];
  EXPECT_EQ(shown["refused"], true) << shown;
  EXPECT_EQ(shown["file"], protocol::kDefaultFile);
  EXPECT_EQ(shown["digest"], sha256_of(spark_.read(protocol::kDefaultFile)));
  EXPECT_THAT(shown["why"], HasSubstr(":6:5: error: unknown key"));
  stop();
  for (const auto& verb : verbs) {
    EXPECT_THAT(spark_.reconcile(verb), ExitsWith(5)) << "no daemon says what is in force";
  }
}

TEST_F(InForce, AFileThatIsGoneOrBrokenAndCorrectedAgainIsNoLongerSpokenOf) {
  start();
  const auto good = spark_.read(protocol::kDefaultFile);
  std::filesystem::remove(spark_.host_path(protocol::kDefaultFile));
  EXPECT_THAT(spark_.reconcile({"topology"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"topology"}).err, HasSubstr("it is refused"));
  break_file();
  spark_.file(good);
  EXPECT_THAT(spark_.reconcile({"topology"}).err, Not(HasSubstr("refused")));
}

TEST_F(InForce, UsersWhoStartJobsSeeItToo) {
  start();
  break_file();
  auto command = spark_.command({"export", "ansible-inventory"});
  command.as_nobody = true;
  const auto outcome = run(command);
  EXPECT_THAT(outcome, ExitsWith(0)) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("spark1"));
}

TEST_F(InForce, ABrokenCommitIsNamedAndTheCommitBeforeItIsShown) {
  start_to_follow(text_with("{ mtu: 4000 }"));
  accept("version: 1\ncluster: [\n", 'b');
  wait_until([&] { return status()["file"]["refused"].is_object(); });
  const auto outcome = spark_.reconcile({"status"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("commit bbbbbbbbbbbb, cluster.yaml:"),
                                 HasSubstr("correct it in the repository")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("on trial: the file is applied")))
      << "that is said of the commit that is refused";
}

TEST_F(InForce, MovingAgentYamlAsideBringsNoOldFileBack) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  start_to_follow(text_with("{ mtu: 4000, addresses: [198.51.100.1/24] }"));
  ASSERT_THAT(spark_.addresses("enp1s0f0np0"), Contains("198.51.100.1/24"));
  const auto aside = spark_.host_path(std::string(kAgent) + ".aside");
  std::filesystem::rename(spark_.host_path(kAgent), aside);
  wait_until(
      [&] { return status()["source"].dump().contains("has no section `source` any more"); });
  wait_until([&] { return alerts().contains("any more: put it back"); });
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), Contains("198.51.100.1/24"));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(1));
  stop();
  start();
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), Contains("198.51.100.1/24"));
  EXPECT_TRUE(has_mtu(4000));
  EXPECT_THAT(spark_.reconcile({"status"}).err, HasSubstr("has no section `source` any more"));
  const auto stopped = spark_.reconcile({"follow", "--stop"});
  EXPECT_THAT(stopped, ExitsWith(0)) << stopped.err;
  EXPECT_THAT(stopped.out, HasSubstr(kUrl));
  EXPECT_EQ(spark_.read(protocol::kDefaultFile),
            text_with("{ mtu: 4000, addresses: [198.51.100.1/24] }"));
  EXPECT_THAT(spark_.read(kFormer), HasSubstr("192.0.2.1/24"));
  wait_until([&] { return status()["source"].is_null(); });
  EXPECT_TRUE(has_mtu(4000));
}

TEST_F(InForce, AfterFollowStopATypoInAgentYamlLeavesTheMachinesFileInForce) {
  start_to_follow(text_with("{ mtu: 4000 }"));
  ASSERT_THAT(spark_.reconcile({"follow", "--stop"}), ExitsWith(0));
  wait_until([&] { return status()["source"].is_null(); });
  stop();
  spark_.write(kAgent, "sourze: {}\n");
  start();
  EXPECT_TRUE(status()["source"].is_null()) << status().dump(2);
  spark_.file(text_with("{ mtu: 5000 }"));
  wait_until([&] { return has_mtu(5000); });
}

TEST_F(InForce, FollowStopDuringATrialKeepsTheFileOnTrial) {
  start_to_follow(text_with("{ mtu: 4000 }"));
  ASSERT_EQ(status()["source"]["on_trial"], true) << status().dump(2);
  ASSERT_THAT(spark_.reconcile({"follow", "--stop"}), ExitsWith(0));
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), text_with("{ mtu: 4000 }"));
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path(kAgent))) << "nothing is left in it";
  wait_until([&] { return status()["source"].is_null(); });
  EXPECT_EQ(spark_.read(protocol::kLastGoodFile), text_with("{ mtu: 4000 }"));
  EXPECT_TRUE(has_mtu(4000));
}

TEST_F(InForce, FollowStopDoesNotCallARefusedFileTheOneInForce) {
  start_to_follow(text_with("{ mtu: 4000 }"));
  accept("version: 1\ncluster: [\n", 'b');
  wait_until([&] { return status()["file"]["refused"].is_object(); });
  ASSERT_THAT(spark_.reconcile({"follow", "--stop"}), ExitsWith(0));
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), text_with("{ mtu: 4000 }"));
}

TEST_F(InForce, FollowWithoutSystemdSaysSoAndLeavesNothing) {
  auto command = spark_.command({"follow", kUrl, "--verify", "none", "--yes"});
  command.environment = {"DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent"};
  const auto refused = run(command);
  EXPECT_THAT(refused, ExitsWith(1));
  EXPECT_THAT(refused.err, HasSubstr("`systemctl is-system-running`"));
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path("/run/spark-reconcile/check")));
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path(kAgent)));
}

TEST_F(InForce, ARollbackBehindASymbolicLinkSaysWhatToCopyBeforeItChangesAnything) {
  const auto good = spark_.read(protocol::kDefaultFile);
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  std::filesystem::remove(spark_.host_path(protocol::kDefaultFile));
  spark_.write("/srv/lab/cluster.yaml", text_with("{ mtu: 4000 }"));
  std::filesystem::create_symlink("/srv/lab/cluster.yaml",
                                  spark_.host_path(protocol::kDefaultFile));
  start();
  ASSERT_TRUE(has_mtu(4000));
  const auto outcome = spark_.reconcile({"rollback"});
  EXPECT_THAT(outcome, ExitsWith(1));
  const auto kept = fmt::format("/var/lib/spark-reconcile/spark1/files/{}.yaml", sha256_of(good));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("is a symbolic link"), HasSubstr("'" + kept + "'"),
                                 HasSubstr("nothing was changed")));
  EXPECT_TRUE(has_mtu(4000));
  EXPECT_EQ(spark_.json({"history"})["generations"].back()["outcome"], "applied");
  spark_.write("/srv/lab/cluster.yaml", spark_.read(kept));
  wait_until([&] { return has_mtu(9000); });
}

TEST_F(InForce, ARollbackThatCannotPutTheFileBackChangesNothing) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.file(text_with("{ mtu: 4000 }"));
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.write("/etc/spark-reconcile/cluster.yaml.rejected/in-the-way", "");
  const auto outcome = spark_.reconcile({"rollback"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("nothing was changed"));
  EXPECT_TRUE(has_mtu(4000));
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), text_with("{ mtu: 4000 }"));
}

TEST_F(InForce, ADaemonDoesNotSetAFileAgainThatWasRolledBack) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  start();
  spark_.file(text_with("{ mtu: 4000 }"));
  wait_until([&] { return has_mtu(4000); });
  stop();
  // The file that was applied last is not there any more, so it does not give way to the good one.
  spark_.file("version: 1\ncluster: [\n");
  ASSERT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  ASSERT_TRUE(has_mtu(9000));
  start();
  EXPECT_TRUE(has_mtu(9000));
  EXPECT_THAT(spark_.read(protocol::kLastGoodFile), HasSubstr("9000"));
}

/// How often a race is run: $SPARK_TRIES, else a few times.
int tries() {
  const char* const asked = std::getenv("SPARK_TRIES");
  constexpr int kFew = 3;
  return asked == nullptr ? kFew : std::stoi(asked);
}

/// Somewhere within the second in which a daemon sees what happens, by a fixed seed.
void wait_at_random() {
  static std::mt19937 random(38);
  std::this_thread::sleep_for(std::chrono::milliseconds(random() % 700));
}

// G8: the daemon took what a rollback changed for drift of the file that was just rolled back.
TEST_F(InForce, ARollbackBesideTheDaemonIsNoDriftOfTheFileBefore) {
  const auto good = text_with("{ addresses: [192.0.2.21/24] }");
  spark_.file(good);
  start();
  wait_until([&] { return status()["digest"] == sha256_of(good); });
  for (int i = 0; i < tries(); ++i) {
    const auto other = text_with(fmt::format("{{ addresses: [192.0.2.{}/24] }}", 31 + i % 200));
    spark_.file(other);
    wait_until([&] { return status()["digest"] == sha256_of(other); });
    wait_at_random();
    Monitor monitor(spark_.network());
    ASSERT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
    wait_until([&] { return status()["digest"] == sha256_of(good); });
    wait_at_random();
    EXPECT_THAT(monitor.take_addresses(), Not(Contains("remove 192.0.2.21/24"))) << "try " << i;
  }
}

// G7: the daemon corrected what an apply by hand had just changed, by the file before.
TEST_F(InForce, AnApplyByHandOfAFileThatWaitsIsNotCorrected) {
  const auto of = [](int host) {
    return text_with(fmt::format("{{ addresses: [192.0.2.{}/24] }}", host));
  };
  spark_.file(of(21));
  start();
  wait_until([&] { return status()["digest"] == sha256_of(of(21)); });
  for (int i = 0; i < tries(); ++i) {
    const int host = 31 + i % 200;
    ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
    spark_.file(of(host));
    wait_at_random();
    Monitor monitor(spark_.network());
    ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
    wait_until([&] { return status()["digest"] == sha256_of(of(host)); });
    wait_at_random();
    EXPECT_THAT(monitor.take_addresses(), Not(Contains(fmt::format("remove 192.0.2.{}/24", host))))
        << "try " << i;
  }
}

}  // namespace
}  // namespace spark::test
