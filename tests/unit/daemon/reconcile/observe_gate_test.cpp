#include "daemon/reconcile/observe_gate.hpp"

#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "config/parse/parse.hpp"
#include "fake/fake_cluster.hpp"
#include "fake/fake_pass.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"
#include "state/bench_results.hpp"
#include "state/journal.hpp"

namespace spark::daemon {
namespace {

constexpr const char* kPairOfNodes =
    "version: 1\ncluster: lab.a\nnodes: { spark1: { number: 11 }, spark2: { number: 12 } }\n"
    "fabric:\n  mtu: 9000\n  cables:\n    - { ends: [spark1:0, spark2:0], subnets: "
    "[198.51.100.0/24, 203.0.113.0/24] }\n";

class ObserveCluster : public test::PassTest {
 protected:
  ObserveCluster() {
    report_.rails.push_back({.link = "enp1s0f0np0",
                             .device = "rocep1s0f0",
                             .ip = *IpAddress::parse("198.51.100.11"),
                             .facts = {}});
    known_.boot_id = state::boot_id(ports_);
  }

  ClusterState look() {
    host_.files().put(protocol::kPeersReportFile,
                      json_text(document_of(protocol::kPeersReportSchema, known_)));
    auto parsed = config::parse(kPairOfNodes);
    parsed.cluster.nodes.at("spark2").away = is_peer_away_;
    return observe_cluster(ports_, parsed.cluster, test::node_on(host_, kPairOfNodes), report_,
                           at_);
  }

  void hear(bool is_silent, std::int64_t heard_ms) {
    known_.heard.push_back({.link = "enp1s0f0np0",
                            .mac = "",
                            .hello = {.cluster = "lab.a", .node = "spark2"},
                            .heard_ms = heard_ms,
                            .is_silent = is_silent});
  }

  state::BenchResult measured(double bits, const std::string& driver = "mlx5_core") {
    return {.at = "2026-01-31T09:30:00Z",
            .version = "0.2.0",
            .node = "spark1",
            .peer = "spark2",
            .seconds = 2,
            .queue_pairs = 4,
            .jobs = {},
            .rails = {{.link = "enp1s0f0np0", .cage = 0, .rail = 0, .driver = driver}},
            .figures = {{"write", "to", {"enp1s0f0np0"}, bits, ""}}};
  }

  gate::GateReport report_;
  protocol::PeersReport known_;
  bool is_peer_away_ = false;  ///< by the file
  const Moment at_{std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::hours(24 * 365)),
                   std::chrono::hours(2)};
};

TEST_F(ObserveCluster, ProvesAnEchoByTheAddressThatAnswered) {
  report_.rails[0].answered = {*IpAddress::parse("198.51.100.12")};
  const auto seen = look();
  EXPECT_EQ(seen.nodes, 2U);
  ASSERT_EQ(seen.rails.size(), 2U);
  EXPECT_EQ(seen.rails[0].peer, "spark2");
  EXPECT_EQ(seen.rails[0].echo, true);
  EXPECT_EQ(seen.rails[1].echo, false) << "no look was made over that rail";
  EXPECT_EQ(seen.rails[0].rdma, std::nullopt);
}

TEST_F(ObserveCluster, TellsNothingOfAPeerThatIsAwayByTheFileAndNotHeard) {
  is_peer_away_ = true;
  EXPECT_TRUE(look().rails.empty());
  EXPECT_TRUE(look().heard.empty());
  hear(false, 1000);
  EXPECT_EQ(look().rails.size(), 2U) << "it is on all the same";
  EXPECT_EQ(look().heard.size(), 1U);
  known_.heard.front().is_silent = true;
  EXPECT_TRUE(look().rails.empty());
}

TEST_F(ObserveCluster, KeepsTheAnswerOfAPeerWhoseTurnItIsNot) {
  report_.rails[0].answered = {*IpAddress::parse("198.51.100.12")};
  const auto before = look();
  report_.rails[0].answered = {*IpAddress::parse("198.51.100.99")};
  auto now = look();
  EXPECT_EQ(now.rails[0].echo, std::nullopt);
  EXPECT_EQ(now.rails[0].asked.boot.count(), 0);
  keep_echoes(before, now);
  EXPECT_EQ(now.rails[0].echo, true);
  EXPECT_EQ(now.rails[0].asked.boot, at_.boot) << "of the look before";
  report_.rails[0].unanswered = {*IpAddress::parse("198.51.100.12")};
  now = look();
  keep_echoes(before, now);
  EXPECT_EQ(now.rails[0].echo, false);
}

TEST_F(ObserveCluster, CountsAProofOfTheBootThatThePeerIsIn) {
  const protocol::PeerReport moved;
  known_.rdma.push_back({.node = "spark2",
                         .link = "enp1s0f0np0",
                         .ip = *IpAddress::parse("198.51.100.12"),
                         .tried_ms = 1,
                         .ours = moved,
                         .theirs = moved,
                         .boot_id = "boot1",
                         .hindrance = protocol::RdmaHindrance::kNone,
                         .why = ""});
  protocol::ToldDetails told;
  told.details.node = "spark2";
  told.details.boot_id = "boot1";
  known_.told = {told};
  EXPECT_EQ(look().rails[0].rdma, true);
  EXPECT_EQ(look().rails[0].tried.boot.count(), 1);
  known_.told[0].details.boot_id = "boot2";
  EXPECT_EQ(look().rails[0].rdma, false);
}

TEST_F(ObserveCluster, SaysWhenAPeerWasHeardLast) {
  EXPECT_EQ(look().heard.at(0).at.boot.count(), 0) << "never";
  hear(true, 3'600'000);
  EXPECT_EQ(look().heard.at(0).at.wall, at_.wall - std::chrono::hours(1));
  hear(false, 1);  // over the other rail, and not silent there
  EXPECT_EQ(look().heard.at(0).at.wall, at_.wall);
}

TEST_F(ObserveCluster, KnowsNothingOfAnEarlierBoot) {
  hear(false, 1);
  known_.boot_id = "another";
  EXPECT_TRUE(look().heard.empty());
}

TEST_F(ObserveCluster, TellsTheLastMeasurementAndTheBestOne) {
  auto beside_job = measured(5e9);
  beside_job.jobs = {"python3 (pid 4711) of alice uses rocep1s0f0"};
  for (const auto& result : {measured(400e9, "rxe"), measured(98e9), measured(40e9), beside_job}) {
    ASSERT_TRUE(state::keep_bench_result(ports_.files, result));
  }
  const auto seen = look();
  ASSERT_EQ(seen.bench.size(), 1U);
  EXPECT_EQ(seen.bench[0].links, "enp1s0f0np0");
  EXPECT_DOUBLE_EQ(seen.bench[0].bytes_per_second, 5e9);
  EXPECT_DOUBLE_EQ(seen.bench[0].best, 98e9 / 8);
}

}  // namespace
}  // namespace spark::daemon
