// `events` answers what happened on a node, also last night: what the daemon did and saw, kept
// across restarts, and what was applied by hand.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <poll.h>

#include "process/spark.hpp"
#include "protocol/paths.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

class Events : public ::testing::Test {
 protected:
  Events() {
    spark_.add_link("enp1s0f0np0");
    spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  }

  void start() {
    daemon_ = std::make_unique<Running>(spark_.command({"daemon"}));
    until([&] { return has_mtu(9000); });
    until([&] { return count("corrected") > 0; });
  }
  void stop() {
    daemon_->signal(SIGTERM);
    EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  }

  static void until(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      poll(nullptr, 0, 20);
    }
  }

  [[nodiscard]] bool has_mtu(int bytes) const { return spark_.link("enp1s0f0np0")["mtu"] == bytes; }
  [[nodiscard]] std::vector<std::string> what(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"events"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> all;
    const auto events = spark_.json(words).value("events", nlohmann::json::array());
    for (const auto& event : events) all.push_back(event["what"]);
    return all;
  }
  [[nodiscard]] std::ptrdiff_t count(const std::string& wanted) const {
    const auto all = what();
    return std::ranges::count(all, wanted);
  }
  [[nodiscard]] std::string text() const { return spark_.reconcile({"events"}).out; }

  Spark spark_;
  std::unique_ptr<Running> daemon_;
};

TEST_F(Events, AreNoneWhereNothingHappened) {
  const auto events = spark_.reconcile({"events"});
  EXPECT_THAT(events, ExitsWith(0));
  EXPECT_EQ(events.out, "");
  EXPECT_THAT(events.err, AllOf(HasSubstr("nothing has happened here"),
                                HasSubstr("systemctl enable --now spark-reconcile")));
}

TEST_F(Events, HaveWhatWasAppliedByHandWhereNoDaemonEverRan) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(text(), AllOf(HasSubstr("✓ apply by hand, by "), HasSubstr("generation 1 of "),
                            HasSubstr("1 change: applied")));
  ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_THAT(what(), ElementsAre("applied_by_hand", "released_by_hand"));
}

TEST_F(Events, SayWhatHappenedLastNight) {
  start();
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  until([&] { return count("corrected") == 2; });
  spark_.file_with_links("enp1s0f0np0: { mtu: nine }");
  until([&] { return count("file_refused") == 1; });
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000 }");
  until([&] { return has_mtu(4000); });
  ASSERT_THAT(spark_.reconcile({"pause", "--for", "1h", "--reason", "cabling"}), ExitsWith(0));
  until([&] { return count("paused") == 1; });
  ASSERT_THAT(spark_.reconcile({"resume"}), ExitsWith(0));
  until([&] { return count("resumed") == 1; });
  ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  until([&] { return count("released") == 1; });
  stop();
  const auto night = text();
  EXPECT_THAT(night, AllOf(HasSubstr("· started, version "),
                           HasSubstr("✓ mtu enp1s0f0np0: 1500 → 9000 (drift): done"),
                           HasSubstr("! refused: "), HasSubstr("'nine' is not a whole number"),
                           HasSubstr(": cabling"), HasSubstr("✓ release by hand, by ")));
  EXPECT_THAT(what(), IsSupersetOf({"started", "file_in_force", "file_refused", "corrected",
                                    "paused", "resumed", "released", "released_by_hand"}));
}

TEST_F(Events, SayWhatTheVerdictWasLastNight) {
  spark_.file(
      "version: 1\ncluster: pair\nnodes: { spark1: { number: 11 }, spark2: { number: 12 } }\n"
      "fabric:\n  mtu: 9000\n"
      "  cables: [{ ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24] }]\n");
  start();
  // Virtual links have no RDMA, which nobody can judge.
  until([&] {
    const auto status = nlohmann::json::parse(spark_.read(protocol::kStatusFile), nullptr, false);
    return status.is_object() && status.value("verdict", "") == "unknown" &&
           status.value("why", "").contains("SR-GATE-");
  });
  const auto before = count("verdict");
  spark_.ip("link set x-enp1s0f0np0 down");
  until([&] { return count("verdict") > before; });
  stop();
  EXPECT_THAT(text(), HasSubstr("not ready"));
}

TEST_F(Events, OutliveTheDaemonAndAReboot) {
  start();
  stop();
  const auto before = text();
  EXPECT_THAT(spark_.reconcile({"events"}).err, HasSubstr("no daemon runs here now"));
  std::filesystem::remove_all(spark_.host_path("/run/spark-reconcile"));
  EXPECT_EQ(text(), before);
  start();
  until([&] { return count("started") == 2; });
  EXPECT_TRUE(text().starts_with(before)) << text();
}

TEST_F(Events, OfAContestSayUntilWhenItIsLeftAlone) {
  start();
  for (int i = 0; i < 4 && count("contested") == 0; ++i) {
    spark_.ip("link set enp1s0f0np0 mtu 1400");
    until([&] { return has_mtu(9000) || count("contested") == 1; });
  }
  until([&] { return count("contested") == 1; });
  EXPECT_THAT(text(), HasSubstr("! mtu enp1s0f0np0: contested until "));
  ASSERT_THAT(spark_.reconcile({"resume"}), ExitsWith(0));
  until([&] { return count("contest_ended") == 1; });
}

TEST_F(Events, SinceAnHourLeaveOutWhatIsOlder) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(what({"--since", "1h"}), Contains("applied_by_hand"));
  // An entry of long ago, as the history keeps it.
  auto history = spark_.read("/var/lib/spark-reconcile/spark1/history.json");
  const auto at = history.find("\"at\": \"20");
  ASSERT_NE(at, std::string::npos);
  history.replace(at + 7, 4, "2001");
  spark_.write("/var/lib/spark-reconcile/spark1/history.json", history);
  EXPECT_THAT(what({"--since", "1h"}), ElementsAre());
  EXPECT_THAT(what(), ElementsAre("applied_by_hand"));
}

TEST_F(Events, ThatCannotBeReadAreNamedAndBeginAgain) {
  spark_.write("/var/lib/spark-reconcile/events.json", "{");
  const auto damaged = spark_.reconcile({"events"});
  EXPECT_THAT(damaged, ExitsWith(1));
  EXPECT_THAT(damaged.err, HasSubstr("'/var/lib/spark-reconcile/events.json' is damaged"));
  start();
  EXPECT_THAT(what(), Contains("started"));
}

TEST_F(Events, AreNotWrittenWhereNothingHappens) {
  start();
  const auto written =
      std::filesystem::last_write_time(spark_.host_path("/var/lib/spark-reconcile/events.json"));
  for (int i = 0; i < 3; ++i) {
    const auto passes = spark_.read("/run/spark-reconcile/status.json");
    spark_.ip("link set x-enp1s0f0np0 alias a" + std::to_string(i));
    until([&] { return spark_.read("/run/spark-reconcile/status.json") != passes; });
  }
  EXPECT_EQ(
      std::filesystem::last_write_time(spark_.host_path("/var/lib/spark-reconcile/events.json")),
      written);
}

/// The id of the newest event of that sort; empty: it has none.
std::string change_of(const Spark& spark, const std::string& what) {
  std::string id;
  const auto all = spark.json({"events"});
  for (const auto& event : all["events"]) {
    if (event["what"] == what) id = event.value("change_id", "");
  }
  return id;
}

TEST_F(Events, NameTheChangeThatCausedThemAsHistoryDoes) {
  ASSERT_THAT(spark_.reconcile({"apply", "--change-id", "CHG0031"}), ExitsWith(0));
  EXPECT_EQ(spark_.json({"history"})["generations"][0]["change_id"], "CHG0031");
  EXPECT_THAT(spark_.reconcile({"history"}).out, HasSubstr(", change CHG0031"));
  EXPECT_EQ(change_of(spark_, "applied_by_hand"), "CHG0031");
  EXPECT_THAT(text(), HasSubstr("applied (change CHG0031)"));
  daemon_ = std::make_unique<Running>(spark_.command({"daemon"}));
  until([&] { return count("file_in_force") > 0; });
  EXPECT_EQ(change_of(spark_, "file_in_force"), "CHG0031");
  ASSERT_THAT(spark_.reconcile({"pause", "--for", "1m", "--change-id", "CHG0032"}), ExitsWith(0));
  until([&] { return count("paused") > 0; });
  EXPECT_EQ(change_of(spark_, "paused"), "CHG0032");
  ASSERT_THAT(spark_.reconcile({"resume", "--change-id", "CHG0033"}), ExitsWith(0));
  until([&] { return count("resumed") > 0; });
  EXPECT_EQ(change_of(spark_, "resumed"), "CHG0033");
  ASSERT_THAT(spark_.reconcile({"release", "--yes", "--change-id", "CHG0034"}), ExitsWith(0));
  until([&] { return count("released") > 0; });
  EXPECT_EQ(change_of(spark_, "released"), "CHG0034");
  EXPECT_EQ(spark_.json({"history"})["generations"][0]["change_id"], "CHG0034");
  ASSERT_THAT(spark_.reconcile({"resume", "--change-id", "CHG0035"}), ExitsWith(0));
  until([&] { return count("release_ended") > 0; });
  EXPECT_EQ(change_of(spark_, "release_ended"), "CHG0035");
}

TEST_F(Events, WhatTheDaemonAppliedFirstGetsTheIdThatComesAfterIt) {
  daemon_ = std::make_unique<Running>(spark_.command({"daemon"}));
  until([&] { return count("file_in_force") > 0; });
  ASSERT_EQ(change_of(spark_, "file_in_force"), "");
  ASSERT_THAT(spark_.reconcile({"apply", "--change-id", "slurm-7"}), ExitsWith(0));
  EXPECT_EQ(spark_.json({"history"})["generations"][0]["change_id"], "slurm-7");
  EXPECT_EQ(change_of(spark_, "file_in_force"), "slurm-7");
}

TEST_F(Events, ThatAreFollowedAreToldOnce) {
  for (int i = 0; i < 3; ++i) {
    spark_.ip("link set enp1s0f0np0 mtu 1500");
    ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  }
  ASSERT_EQ(count("applied_by_hand"), 3);
  daemon_ = std::make_unique<Running>(spark_.command({"daemon"}));
  until([&] { return count("file_in_force") > 0; });
  auto command = spark_.command({"events", "-f"});
  Running follower(command);
  const auto lines = [&](const std::string& words) {
    std::ptrdiff_t found = 0;
    const auto said = follower.output();
    for (auto at = said.find(words); at != std::string::npos; at = said.find(words, at + 1))
      ++found;
    return found;
  };
  until([&] { return lines("apply by hand") == 3; });
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  until([&] { return lines("(drift") > 0; });
  EXPECT_EQ(lines("apply by hand"), 3);
  follower.signal(SIGTERM);
  EXPECT_THAT(follower.wait(), ExitsWith(-1));
}

TEST_F(Events, AnIdOfTwoWordsStopsTheApply) {
  EXPECT_THAT(spark_.reconcile({"apply", "--change-id", "two words"}), ExitsWith(64));
  EXPECT_THAT(spark_.json({"history"})["generations"], testing::IsEmpty());
}

}  // namespace
}  // namespace spark::test
