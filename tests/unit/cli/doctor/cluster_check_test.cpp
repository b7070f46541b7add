#include "cli/doctor/cluster_check.hpp"

#include "base/json_document.hpp"
#include "diagnosis/kinds.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"
#include "state/journal.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

diagnosis::Root one_root(const std::string& node, const std::string& id, std::string_view name,
                         const std::string& measured) {
  return {.problem = {.node = node,
                      .found = {.id = id, .name = std::string(name), .measured = measured},
                      .remedy = {.text = {}, .command = "spark-reconcile plan"}}};
}

cluster::ClusterView view_of(std::vector<diagnosis::Root> roots) {
  cluster::ClusterView view;
  view.nodes.emplace_back();
  view.nodes.front().name = "spark1";
  view.nodes.front().verdict = protocol::Verdict::kReady;
  view.roots = std::move(roots);
  return view;
}

/// The rows of the cluster, beside those of this node.
Findings nodes_of(const cluster::ClusterView& view, const Findings& rows = {}) {
  Examination examination;
  examination.wiring.own = "spark1";
  examination.sections.push_back({Section::kProgram, rows});
  add_nodes(view, examination);
  return findings_in(Section::kCluster, examination);
}

TEST(ClusterCheck, NamesEachCauseAtItsNode) {
  EXPECT_THAT(
      nodes_of(
          view_of({one_root("spark2", "SR-GATE-002", "mtu", "1500"),
                   one_root("spark3", "", diagnosis::kSilent, "silent; last heard ready"),
                   one_root("spark1", "SR-GATE-016", diagnosis::kSwitch, "a switch is between")})),
      ElementsAre(says("nodes", Severity::kLook, "spark2: mtu: 1500 [SR-GATE-002]"),
                  says("nodes", Severity::kLook, "spark3: silent; last heard ready"),
                  says("nodes", Severity::kLook, "spark1: a switch is between [SR-GATE-016]")));
}

TEST(ClusterCheck, ItsRemedyIsThatOfTheCause) {
  auto swapped = one_root("spark1", "SR-GATE-016", "cabling", "it leads elsewhere");
  swapped.problem.remedy.text = "swap the plugs in spark1:0 and spark1:1";
  EXPECT_THAT(nodes_of(view_of({swapped})),
              ElementsAre(Field(&Finding::remedy, swapped.problem.remedy.text)));
}

TEST(ClusterCheck, WhatAnotherCheckSaysIsLeftOut) {
  const auto version =
      one_root("spark2", "", diagnosis::kOtherVersion, "runs 0.1.9, this node 0.2.0");
  auto copy = one_root("spark2", "", diagnosis::kCopy, "a copy of spark1: one machine id");
  copy.problem.found.peers = {"spark1"};
  const auto hears = one_root("spark1", "", diagnosis::kHearsNobody, "hears nobody: stopped");
  const Finding peers{"peers",
                      Severity::kPrevents,
                      "it hears no other node: stopped",
                      "do it",
                      {problem_named(diagnosis::kHearsNobody)}};
  EXPECT_THAT(nodes_of(view_of({version, copy, hears}), {peers}), IsEmpty());
  EXPECT_THAT(nodes_of(view_of({hears})), SizeIs(1)) << "no row says it";
  copy.problem.node = "spark3";
  copy.problem.found.peers = {"spark2"};
  const auto way =
      one_root("spark1", "", diagnosis::kNoWay, "neither echo nor RDMA to spark2 over rail 0");
  EXPECT_THAT(nodes_of(view_of({copy, way})),
              ElementsAre(says("nodes", Severity::kLook, "spark1: neither echo nor RDMA")))
      << "of two others too; what no check names stays";
}

constexpr const char* kPair = R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  cables:
    - { ends: [spark1:1, spark2:1], subnets: [192.0.2.0/25, 192.0.2.128/25] }
)";

TEST(ClusterCheck, GoesByTheFileAndWhatWasTold) {
  test::FakeHost machine;
  const Check nodes = [](const Command& command) {
    const auto here = known_cluster(command);
    return here ? nodes_of(here->view) : Findings{};
  };
  EXPECT_THAT(asked(nodes, machine), IsEmpty()) << "neither";
  machine.files().put(protocol::kDefaultFile, kPair);
  EXPECT_THAT(asked(nodes, machine), IsEmpty()) << "nothing was told";

  protocol::PeersOrder order;
  order.enabled = true;
  order.own.node = "spark1";
  order.peers = {{.node = "spark2",
                  .ip = *IpAddress::parse("192.0.2.12"),
                  .link = "enp1s0f1np1",
                  .local = *IpAddress::parse("192.0.2.11"),
                  .cage = 1}};
  protocol::PeersReport report;
  auto host = machine.host();
  report.boot_id = state::boot_id(host);
  report.heard = {{.link = "enp1s0f1np1",
                   .mac = "",
                   .hello = {.node = "spark2", .verdict = "ready"},
                   .heard_ms = 1,
                   .is_silent = true}};
  machine.files().put(protocol::kPeersOrderFile,
                      json_text(document_of(protocol::kPeersOrderSchema, order)));
  machine.files().put(protocol::kPeersReportFile,
                      json_text(document_of(protocol::kPeersReportSchema, report)));
  EXPECT_THAT(asked(nodes, machine),
              ElementsAre(says("nodes", Severity::kLook, "spark2: silent; last heard ready")));
}

}  // namespace
}  // namespace spark::cli
