#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "process/daemon_world.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// spark1 of a pair, with a daemon that has looked, and what spark-peers wrote of spark2.
class OtherNodesTold : public Daemon {
 protected:
  OtherNodesTold() {
    spark_.file(
        "version: 1\ncluster: pair\nnodes: { spark1: { number: 11 }, spark2: { number: 12 } }\n"
        "fabric:\n  mtu: 9000\n  cables: [{ ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, "
        "198.51.100.0/24] }]\n");
  }

  void SetUp() override {
    start();
    report_.boot_id = first_line_of("/proc/sys/kernel/random/boot_id");
  }

  static std::string first_line_of(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
  }

  [[nodiscard]] std::string own_digest() const { return spark_.json({"validate"})["digest"]; }

  void hear(const std::string& verdict, const std::string& digest) {
    protocol::HeardHello heard;
    heard.link = "enp1s0f0np0";
    heard.hello.node = "spark2";
    heard.hello.verdict = verdict;
    heard.hello.file = protocol::short_digest(digest);
    heard.heard_ms = 1;
    report_.heard = {heard};
    put();
  }

  void put() const {
    spark_.write(protocol::kPeersReportFile,
                 json_text(document_of(protocol::kPeersReportSchema, report_)));
  }

  [[nodiscard]] Outcome wait_for(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"wait", "--timeout", "10ms"};
    all.insert(all.end(), words.begin(), words.end());
    return spark_.reconcile(all);
  }

  protocol::PeersReport report_;
};

TEST_F(OtherNodesTold, AreShownByStatus) {
  const auto shown = [&] { return spark_.reconcile({"status"}).out; };
  EXPECT_THAT(shown(), AllOf(HasSubstr("cage 0 ══ "), Not(HasSubstr("HEARD"))));
  put();
  EXPECT_THAT(shown(), AllOf(HasSubstr("pair · pair · cluster.yaml · digest "),
                             HasSubstr(" · 0 of 2 ready\n"),
                             ContainsRegex("\nspark2 +[?] +– +– +never +not heard since this"),
                             ContainsRegex("\n(Next|Then):  spark-reconcile doctor -n spark2\n")));
  hear("ready", own_digest());
  EXPECT_THAT(shown(), AllOf(HasSubstr("1 of 2 ready"), ContainsRegex("\nspark2 +✓ ")));
  EXPECT_THAT(spark_.reconcile({"status", "--here"}).out,
              AllOf(HasSubstr("cage 0 ══ "), HasSubstr("daemon: "), Not(HasSubstr("HEARD"))));
  EXPECT_THAT(spark_.reconcile({"status", "-n", "spark1"}).out,
              HasSubstr("other nodes\n  ✓ spark2  ready, heard "));
  EXPECT_EQ(spark_.json({"status"})["cluster"]["nodes"].size(), 2U);
  EXPECT_THAT(
      spark_.reconcile({"topology", "--live"}).out,
      AllOf(HasSubstr("✓ node  spark2  number 12  ready\n"),
            // Nobody answers there: not known yet, or no answer once the echo's time is over.
            ContainsRegex("(\\?|✗) cable  spark1:0 ══ spark2:0  rail 0  ")));
  EXPECT_THAT(spark_.reconcile({"status", "--here", "--brief"}), ExitsWith(64));
  const auto nodes = spark_.json({"status"})["nodes"];
  ASSERT_EQ(nodes.size(), 1U) << nodes;
  EXPECT_EQ(nodes[0]["node"], "spark2");
  EXPECT_EQ(nodes[0]["has_our_file"], true);
  EXPECT_EQ(nodes[0]["rails"], 2);
  report_.boot_id = "another";
  put();
  EXPECT_THAT(shown(), Not(HasSubstr("HEARD")))
      << "what was told before the machine booted says nothing of now";
}

TEST_F(OtherNodesTold, AreInABundleByOtherNames) {
  hear("ready", own_digest());
  const auto path = spark_.host_path("/bundle.json").string();
  ASSERT_THAT(spark_.reconcile({"doctor", "--bundle", path}), ExitsWith(0));
  const auto text = spark_.read("/bundle.json");
  EXPECT_THAT(text, AllOf(Not(HasSubstr("spark1")), Not(HasSubstr("spark2"))));
  const auto status = nlohmann::json::parse(text)["status"];
  EXPECT_EQ(status["cluster"]["nodes"].size(), 2U);
  EXPECT_EQ(status["cluster"]["file"]["digest"], own_digest());
}

TEST_F(OtherNodesTold, MayBeAnyBytesAndDriftIsCorrectedAllTheSame) {
  // Who takes spark-peers over writes what it likes.
  hear("ready", own_digest());
  report_.heard.push_back(report_.heard.front());
  report_.heard.front().heard_ms = std::numeric_limits<std::int64_t>::min();
  report_.heard.back().heard_ms = std::numeric_limits<std::int64_t>::max();
  const auto at_no_time = json_text(document_of(protocol::kPeersReportSchema, report_));
  const auto addresses = spark_.addresses("enp1s0f0np0");
  ASSERT_THAT(addresses, Contains("192.0.2.11/24"));
  bool of_mtu = false;  // by turns: what is changed three times is left alone
  for (const auto& bytes :
       {std::string("\x00\xff\x1b[2J{", 7), std::string(100'000, '['),
        std::string(R"({"schema":"spark-reconcile/peers/v1","heard":7})"), at_no_time}) {
    spark_.write(protocol::kPeersReportFile, bytes);
    of_mtu = !of_mtu;
    if (of_mtu) {
      spark_.ip("link set enp1s0f0np0 mtu 1500");
      wait_until([&] { return has_mtu(9000); });
    } else {
      spark_.ip("address del 192.0.2.11/24 dev enp1s0f0np0");
      wait_until([&] { return spark_.addresses("enp1s0f0np0") == addresses; });
    }
    const auto shown = spark_.reconcile({"status"});
    EXPECT_THAT(shown.out, AllOf(HasSubstr("spark1"), Not(HasSubstr("\x1b"))));
    EXPECT_NE(shown.code, -1) << "it ended by itself";
  }
}

TEST_F(OtherNodesTold, WhatAKilledDaemonLeftIsNoNewsOfThisNode) {
  hear("ready", own_digest());
  const auto own = [&] { return spark_.reconcile({"status"}).out; };
  EXPECT_THAT(own(), AllOf(ContainsRegex("\nspark1 [*] "), Not(HasSubstr("does not run"))));
  daemon_->signal(SIGKILL);
  EXPECT_THAT(daemon_->wait(), ExitsWith(-1));
  ASSERT_NE(spark_.read(protocol::kStatusFile), "");
  EXPECT_THAT(own(), ContainsRegex("\nspark1 [*] +[?] .* the daemon does not run"));
}

TEST_F(OtherNodesTold, AreWaitedFor) {
  EXPECT_THAT(wait_for({"--cluster"}).err, HasSubstr("the other nodes have told nothing here yet"));
  put();
  const auto nobody = wait_for({"--cluster", "--nodes", "spark2"});
  EXPECT_THAT(nobody, ExitsWith(3));
  EXPECT_THAT(nobody.err, HasSubstr("spark2 is not heard since this node booted"));
  hear("not ready", own_digest());
  EXPECT_THAT(wait_for({"--cluster"}).err, HasSubstr("spark2 is not ready, heard "));
  hear("ready", std::string(64, 'b'));
  EXPECT_THAT(wait_for({"--cluster"}).err,
              HasSubstr("spark2 has another file, digest bbbbbbbbbbbbbbbb"));
  EXPECT_THAT(wait_for({"--cluster", "--nodes", "spark2", "--digest", "bbbbbbbbbbbb"}),
              ExitsWith(0));
  hear("ready", own_digest());
  const auto both = wait_for({"--cluster"});
  EXPECT_THAT(both, ExitsWith(3)) << "this node is not ready: it has no RDMA device";
  EXPECT_THAT(both.err, AllOf(HasSubstr("spark1 is "), Not(HasSubstr("spark2"))));
  const auto other = wait_for({"--cluster", "--nodes", "spark2"});
  EXPECT_THAT(other, ExitsWith(0));
  EXPECT_THAT(other.out, HasSubstr("1 node ready, with one file"));
  const auto json = spark_.json({"wait", "--timeout", "10ms", "--cluster"});
  EXPECT_EQ(json["nodes"].size(), 2U) << json;
}

TEST_F(OtherNodesTold, AreNotWaitedForWhileTheyAreAway) {
  spark_.file(
      "version: 1\ncluster: trio\nnodes:\n  spark1: { number: 11, away: true }\n"
      "  spark2: { number: 12 }\n  spark3: { number: 13, away: true }\n"
      "fabric:\n  mtu: 9000\n  switches: [{ name: s1, ports: [spark1:0, spark2:0, spark3:0], "
      "subnets: "
      "[192.0.2.0/24, 198.51.100.0/24] }]\n");
  hear("ready", own_digest());
  const auto digest = "--digest=" + own_digest();
  const auto all = wait_for({"--cluster", digest});
  EXPECT_THAT(all, ExitsWith(0));
  EXPECT_THAT(all.out, HasSubstr("1 node ready, with one file; not waited for (away): spark1, "
                                 "spark3\n"));
  const auto json = spark_.json({"wait", "--timeout", "10ms", "--cluster", digest});
  EXPECT_EQ(json["nodes"].size(), 1U) << json;
  EXPECT_EQ(json["away"], nlohmann::json({"spark1", "spark3"}));
  const auto named = wait_for({"--cluster", "--nodes", "spark2,spark3", digest});
  EXPECT_THAT(named, ExitsWith(3)) << "who is named is waited for";
  EXPECT_THAT(named.err, AllOf(HasSubstr("spark3 is "), Not(HasSubstr("away"))));
  hear("not ready", own_digest());
  EXPECT_THAT(wait_for({"--cluster", digest}).err, HasSubstr("not waited for (away): spark1"));
}

TEST_F(OtherNodesTold, AreOneLineWithBrief) {
  const auto alone = spark_.reconcile({"status", "--brief"});
  EXPECT_THAT(alone, ExitsWith(0));
  EXPECT_THAT(alone.out, AllOf(HasSubstr(" pair: 0 of 2 ready; spark1 is "), HasSubstr(" more\n")));
  hear("ready", own_digest());
  const auto one = spark_.reconcile({"status", "--brief", "--exit-code"});
  EXPECT_THAT(one, ExitsWith(3));
  EXPECT_THAT(one.out, HasSubstr(" pair: 1 of 2 ready; spark1 is "));
  EXPECT_THAT(spark_.reconcile({"status", "--brief", "--json"}), ExitsWith(64));
}

TEST_F(OtherNodesTold, AreNodesOfTheFile) {
  const auto unknown = wait_for({"--cluster", "--nodes", "spark2,spark9"});
  EXPECT_THAT(unknown, ExitsWith(1));
  EXPECT_THAT(unknown.err, HasSubstr("the file has no node 'spark9'"));
  EXPECT_THAT(wait_for({"--nodes", "spark2"}), ExitsWith(64));
  EXPECT_THAT(wait_for({"--cluster", "--digest", "xyz"}), ExitsWith(64));
  spark_.file("version: 2\n");
  const auto beside_a_broken_file = wait_for({"--cluster"});
  EXPECT_THAT(beside_a_broken_file, ExitsWith(3));
  EXPECT_THAT(beside_a_broken_file.err,
              HasSubstr("it is refused, so this is of the file in force"));
}

}  // namespace
}  // namespace spark::test
