#include "kinds/environment/nccl_environment.hpp"

#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"
#include "config/resolve/resolve.hpp"
#include "config/yaml/job_variables.hpp"
#include "fake/temporary_folder.hpp"
#include "host/process/child.hpp"

namespace spark::kinds {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

constexpr const char* kPair = R"(
version: 1
cluster: pair
nodes: { a: { number: 11, management: enP7s7 }, b: { number: 12 } }
fabric:
  cables: [{ ends: [a:1, b:1], subnets: [192.168.177.0/24, 192.168.178.0/24] }]
environment: {}
)";

constexpr const char* kRing = R"(
version: 1
cluster: ring
nodes:
  a: { number: 11, management: enP7s7 }
  b: { number: 12, management: enP7s7 }
  c: { number: 13 }
fabric:
  cables:
    - { ends: [a:0, b:1], subnets: [10.1.0.0/24, 10.2.0.0/24] }
    - { ends: [c:0, a:1], subnets: [10.3.0.0/24, 10.4.0.0/24] }
    - { ends: [b:0, c:1], subnets: [10.5.0.0/24, 10.6.0.0/24] }
environment: { nccl: { mode: safe } }
)";

config::Netdev device(const std::string& name, const std::string& pci, const std::string& rdma) {
  return {.name = name, .pci_address = pci, .rdma = config::RdmaPlace{rdma, 1}};
}

/// The four functions of a Spark, RDMA devices as DGX OS names them.
std::vector<config::Netdev> spark_devices() {
  return {device("enp1s0f0np0", "0000:01:00.0", "rocep1s0f0"),
          device("enp1s0f1np1", "0000:01:00.1", "rocep1s0f1"),
          device("enP2p1s0f0np0", "0002:01:00.0", "roceP2p1s0f0"),
          device("enP2p1s0f1np1", "0002:01:00.1", "roceP2p1s0f1")};
}

config::Node node_of(const std::string& text, const std::string& name,
                     const std::vector<config::Netdev>& devices = spark_devices()) {
  const auto parsed = config::parse(text);
  for (const auto& diagnostic : parsed.diagnostics) {
    EXPECT_NE(diagnostic.severity, config::Severity::kError) << diagnostic.message;
  }
  const auto node = config::resolve(parsed.cluster, name, devices);
  EXPECT_TRUE(node) << (node ? "" : node.error().what);
  return node.value_or(config::Node{});
}

std::map<std::string, std::string> rendered(const config::Node& node) {
  return assignments_in(environment_text(nccl_variables(node)));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

std::string ring_of_four() {
  std::ifstream file(std::string(SPARK_SOURCE_DIR) + "/examples/ring-of-four.yaml");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(NcclEnvironment, NamesBothRailsOfTheCableOfAPair) {
  const auto variables = rendered(node_of(kPair, "a"));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_HCA", "=rocep1s0f1,roceP2p1s0f1")));
  EXPECT_THAT(variables, Contains(Pair("UCX_NET_DEVICES", "rocep1s0f1:1,roceP2p1s0f1:1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_NET", "IB")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_CROSS_NIC", "0")));
  EXPECT_THAT(variables, Not(Contains(Key("NCCL_IB_SUBNET_AWARE_ROUTING"))));
}

TEST(NcclEnvironment, FindsTheGidOfEachDeviceAndNamesNoIndex) {
  const auto variables = rendered(node_of(kPair, "a"));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_ADDR_FAMILY", "AF_INET")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_ADDR_RANGE", "192.168.176.0/22")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_ROCE_VERSION_NUM", "2")));
  EXPECT_THAT(variables, Not(Contains(Key("NCCL_IB_GID_INDEX"))));
}

TEST(NcclEnvironment, PutsTheSocketsOfAPairOnItsCable) {
  const auto variables = rendered(node_of(kPair, "a"));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SOCKET_IFNAME", "=enp1s0f1np1")));
  for (const auto* name : {"GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME", "OMPI_MCA_btl_tcp_if_include",
                           "OMPI_MCA_oob_tcp_if_include"}) {
    EXPECT_THAT(variables, Contains(Pair(name, "enp1s0f1np1")));
  }
}

TEST(NcclEnvironment, UsesNoRailThatLeadsToAnExternalHost) {
  auto text = replaced(kPair, "fabric:\n  cables: [",
                       "external: { nas: { addresses: [10.9.1.50, 10.9.2.50] } }\nfabric:\n"
                       "  cables: [{ ends: [a:0, nas], subnets: [10.9.1.0/24, 10.9.2.0/24] }, ");
  EXPECT_EQ(rendered(node_of(text, "a")), rendered(node_of(kPair, "a")));
}

TEST(NcclEnvironment, HasRingsAloneOnARingOfFour) {
  EXPECT_THAT(rendered(node_of(kRing, "a")), Not(Contains(Key("NCCL_ALGO"))));
  const auto variables = rendered(node_of(ring_of_four(), "spark1"));
  EXPECT_THAT(variables, Contains(Pair("NCCL_ALGO", "Ring")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SKIP_TREE_CONNECT", "1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SWITCHLESS_RING_ONLY", "1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_SUBNET_AWARE_ROUTING", "1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SOCKET_IFNAME", "=enP7s7")));
}

TEST(NcclEnvironment, PassesVariablesOfOtherLibrariesOn) {
  const auto text = replaced(kPair, "environment: {}",
                             "environment: { variables: { VLLM_LOGGING_LEVEL: INFO, "
                             "UCX_NET_DEVICES: \"mlx5_0:1\" } }");
  const auto variables = rendered(node_of(text, "a"));
  EXPECT_THAT(variables, Contains(Pair("VLLM_LOGGING_LEVEL", "INFO")));
  EXPECT_THAT(variables, Contains(Pair("UCX_NET_DEVICES", "mlx5_0:1")));
}

TEST(NcclEnvironment, PutsTheSocketsOfARingOnTheManagementLink) {
  const auto variables = rendered(node_of(kRing, "a"));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SOCKET_IFNAME", "=enP7s7")));
  EXPECT_THAT(variables, Contains(Pair("GLOO_SOCKET_IFNAME", "enP7s7")));
  // c has none: it is not guessed.
  EXPECT_THAT(rendered(node_of(kRing, "c")), Not(Contains(Key("NCCL_SOCKET_IFNAME"))));
}

TEST(NcclEnvironment, ChoosesTheDeviceByThePeersSubnetOnARing) {
  const auto variables = rendered(node_of(kRing, "a"));
  EXPECT_THAT(variables,
              Contains(Pair("NCCL_IB_HCA", "=rocep1s0f0,roceP2p1s0f0,rocep1s0f1,roceP2p1s0f1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_SUBNET_AWARE_ROUTING", "1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_MERGE_NICS", "0")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_NET_PLUGIN", "none")));
  EXPECT_THAT(variables, Not(Contains(Key("NCCL_CROSS_NIC"))));
  EXPECT_THAT(variables, Not(Contains(Key("NCCL_IB_SUBNET_PREFIX_LEN"))));
}

TEST(NcclEnvironment, TellsTheSubnetsOfARingApartByTheirLength) {
  std::string ring = kRing;
  for (const auto* subnets :
       {"10.1.0.0/24, 10.2.0.0/24", "10.3.0.0/24, 10.4.0.0/24", "10.5.0.0/24, 10.6.0.0/24"}) {
    std::string shorter = subnets;
    shorter = replaced(replaced(shorter, "/24", "/28"), "/24", "/28");
    ring = replaced(ring, subnets, shorter);
  }
  EXPECT_THAT(rendered(node_of(ring, "a")), Contains(Pair("NCCL_IB_SUBNET_PREFIX_LEN", "28")));
  // The shortest tells all of them apart.
  const auto mixed = replaced(ring, "10.1.0.0/28", "10.1.0.0/20");
  EXPECT_THAT(rendered(node_of(mixed, "a")), Contains(Pair("NCCL_IB_SUBNET_PREFIX_LEN", "20")));
  // No length does: 10.1.0.0/28 and 10.1.0.16/28 are one /20.
  const auto none =
      replaced(replaced(replaced(ring, "10.1.0.0/28", "10.1.0.0/20"), "10.3.0.0/28", "10.3.0.0/28"),
               "10.5.0.0/28", "10.3.0.16/28");
  EXPECT_THAT(rendered(node_of(none, "a")), Not(Contains(Key("NCCL_IB_SUBNET_PREFIX_LEN"))));
}

TEST(NcclEnvironment, TakesAChainForARingAtItsEndToo) {
  const auto chain =
      replaced(kRing, "    - { ends: [b:0, c:1], subnets: [10.5.0.0/24, 10.6.0.0/24] }\n", "");
  // b sees one neighbour; c is reached by the management link alone.
  const auto variables = rendered(node_of(chain, "b"));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_HCA", "=rocep1s0f1,roceP2p1s0f1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SOCKET_IFNAME", "=enP7s7")));
  EXPECT_THAT(variables, Contains(Key("NCCL_IB_SUBNET_AWARE_ROUTING")));
}

TEST(NcclEnvironment, TakesTwoCablesOfAPairForOneWayWhereTheyJoinLikeCages) {
  const auto straight = replaced(kPair, "cables: [",
                                 "cables: [{ ends: [a:0, b:0], subnets: "
                                 "[192.0.2.0/24, 198.51.100.0/24] }, ");
  auto variables = rendered(node_of(straight, "a"));
  EXPECT_THAT(variables, Not(Contains(Key("NCCL_IB_SUBNET_AWARE_ROUTING"))));
  // Both ports lead to one node: NCCL may take them for one, as it does by itself.
  EXPECT_THAT(variables, Not(Contains(Key("NCCL_IB_MERGE_NICS"))));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SOCKET_IFNAME", "=enp1s0f0np0")));
  const auto crossed =
      replaced(replaced(straight, "[a:0, b:0]", "[a:0, b:1]"), "[a:1, b:1]", "[a:1, b:0]");
  variables = rendered(node_of(crossed, "a"));
  EXPECT_THAT(variables, Contains(Key("NCCL_IB_SUBNET_AWARE_ROUTING")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SOCKET_IFNAME", "=enp1s0f0np0")));
}

TEST(NcclEnvironment, PutsTheSocketsOfASwitchOnTheRailThatAllNodesShare) {
  const auto node = node_of(R"(
version: 1
cluster: switched
nodes: { a: { number: 1 }, b: { number: 2 }, c: { number: 3 } }
fabric:
  switches: [{ name: sw, ports: [a:0, b:1, c:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }]
environment: {}
)",
                            "b");
  const auto variables = rendered(node);
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_HCA", "=rocep1s0f1,roceP2p1s0f1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SOCKET_IFNAME", "=enp1s0f1np1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_CROSS_NIC", "0")));
  // 192.0.2.0 and 198.51.100.0 share five bits.
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_ADDR_RANGE", "192.0.0.0/5")));
}

TEST(NcclEnvironment, NamesTheOneRailThatHasAnAddress) {
  const auto half = replaced(kPair, ", 192.168.178.0/24", "");
  const auto variables = rendered(node_of(half, "a"));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_HCA", "=rocep1s0f1")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_ADDR_RANGE", "192.168.177.0/24")));
  EXPECT_THAT(variables, Not(Contains(Key("NCCL_CROSS_NIC"))));
}

TEST(NcclEnvironment, TakesTheNamesThatTheKernelHas) {
  auto devices = spark_devices();
  devices[1].rdma = config::RdmaPlace{"mlx5_1", 1};
  devices[3].rdma = config::RdmaPlace{"mlx5_3", 2};
  const auto variables = rendered(node_of(kPair, "a", devices));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_HCA", "=mlx5_1,mlx5_3")));
  EXPECT_THAT(variables, Contains(Pair("UCX_NET_DEVICES", "mlx5_1:1,mlx5_3:2")));
}

TEST(NcclEnvironment, LeavesOutTheLinkThatBelongsToTheHost) {
  const auto with_lan = replaced(
      kPair, "management: enP7s7",
      "management: enP7s7, links: { enp1s0f0np0: { owner: host, addresses: [203.0.113.7/24] } }");
  EXPECT_THAT(rendered(node_of(with_lan, "a")),
              Contains(Pair("NCCL_IB_HCA", "=rocep1s0f1,roceP2p1s0f1")));
}

TEST(NcclEnvironment, TakesNamedLinksWhereNoCableIsNamed) {
  const auto node = node_of(R"(
version: 1
cluster: named
nodes:
  a:
    management: enP7s7
    links:
      enP2p1s0f0np0: { addresses: [192.0.2.1/24] }
      eth0: { addresses: [203.0.113.1/24] }
environment: {}
)",
                            "a");
  const auto variables = rendered(node);
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_HCA", "=roceP2p1s0f0")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_SOCKET_IFNAME", "=enP7s7")));
}

TEST(NcclEnvironment, UsesIpv6WhereEveryRailHasThatAlone) {
  const auto six = replaced(kPair, "192.168.177.0/24, 192.168.178.0/24",
                            "'2001:db8:0:1::/64', '2001:db8:0:2::/64'");
  const auto variables = rendered(node_of(six, "a"));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_ADDR_FAMILY", "AF_INET6")));
  EXPECT_THAT(variables, Contains(Pair("NCCL_IB_ADDR_RANGE", "2001:db8::/62")));
}

TEST(NcclEnvironment, HasNoFamilyForRailsThatShareNone) {
  const auto mixed = replaced(kPair, "192.168.178.0/24", "'2001:db8::/64'");
  EXPECT_FALSE(common_family(nccl_rails(node_of(mixed, "a"))));
}

TEST(NcclEnvironment, NamesNoRangeThatHoldsEveryAddress) {
  const auto apart = replaced(kPair, "192.168.177.0/24", "10.0.0.0/24");
  EXPECT_THAT(rendered(node_of(apart, "a")), Not(Contains(Key("NCCL_IB_ADDR_RANGE"))));
}

TEST(NcclEnvironment, PinsAnIndexOnlyWhereAllDevicesHaveIt) {
  auto node = node_of(
      replaced(kPair, "environment: {}", "environment: { nccl: { gid_index: pinned } }"), "a");
  EXPECT_THAT(rendered(node), Not(Contains(Key("NCCL_IB_GID_INDEX")))) << "nobody has looked";
  node.links.at("enp1s0f1np1").gid_index = 5;
  EXPECT_THAT(rendered(node), Not(Contains(Key("NCCL_IB_GID_INDEX")))) << "one is not there";
  node.links.at("enP2p1s0f1np1").gid_index = 3;
  EXPECT_THAT(rendered(node), Not(Contains(Key("NCCL_IB_GID_INDEX")))) << "they differ";
  node.links.at("enP2p1s0f1np1").gid_index = 5;
  EXPECT_THAT(rendered(node), Contains(Pair("NCCL_IB_GID_INDEX", "5")));
}

TEST(NcclEnvironment, AddsWhatIsFasterOnlyWhenAsked) {
  EXPECT_THAT(rendered(node_of(kPair, "a")), Not(Contains(Key("NCCL_IB_QPS_PER_CONNECTION"))));
  const auto fast =
      replaced(kPair, "environment: {}", "environment: { nccl: { mode: performance } }");
  EXPECT_THAT(rendered(node_of(fast, "a")), Contains(Pair("NCCL_IB_QPS_PER_CONNECTION", "4")));
}

TEST(NcclEnvironment, FollowsTheVersionsOfTheJob) {
  const auto with = [](const char* file, const JobVersions& versions) {
    return nccl_variables(node_of(file, "a"), versions);
  };
  const auto names = [](const std::vector<Variable>& variables) {
    return assignments_in(environment_text(variables));
  };
  constexpr const char* kSubnet = "UCX_IB_ROCE_LOCAL_SUBNET";
  EXPECT_THAT(names(with(kPair, {})), Contains(Pair(kSubnet, "y"))) << "any version";
  EXPECT_THAT(names(with(kPair, {.nccl = {}, .ucx = LibraryVersion{1, 18, 1}})),
              Contains(Key(kSubnet)));
  EXPECT_THAT(names(with(kPair, {.nccl = {}, .ucx = LibraryVersion{1, 19, 0}})),
              Not(Contains(Key(kSubnet))));
  constexpr const char* kReaders =
      "NCCL 2.30.7 and newer read it, and of older ones the branch dgxspark-3node-ring";
  EXPECT_THAT(environment_text(with(kRing, {})), HasSubstr(kReaders));
  EXPECT_THAT(environment_text(with(kRing, {.nccl = LibraryVersion{2, 30, 7}, .ucx = {}})),
              Not(HasSubstr(kReaders)));
}

TEST(NcclEnvironment, LetsTheFileHaveTheLastWord) {
  const auto own = replaced(kPair, "environment: {}",
                            "environment: { nccl: { variables: { NCCL_DEBUG: INFO, "
                            "NCCL_SOCKET_IFNAME: eth0, NCCL_IB_TC: 106 } } }");
  const auto variables = nccl_variables(node_of(own, "a"));
  const auto text = environment_text(variables);
  EXPECT_THAT(text, HasSubstr("# as cluster.yaml says, in place of =enp1s0f1np1\n"
                              "NCCL_SOCKET_IFNAME=eth0\n"));
  EXPECT_THAT(text, testing::EndsWith("\n# as cluster.yaml says\nNCCL_DEBUG=INFO\n"
                                      "NCCL_IB_TC=106\n"));
  EXPECT_THAT(rendered(node_of(own, "a")), Contains(Pair("GLOO_SOCKET_IFNAME", "enp1s0f1np1")));
}

TEST(NcclEnvironment, SaysTheSameInBothForms) {
  const auto variables = nccl_variables(node_of(kRing, "a"));
  const auto script = export_text(variables);
  EXPECT_EQ(assignments_in(script), assignments_in(environment_text(variables)));
  EXPECT_THAT(script, HasSubstr("\nexport NCCL_SOCKET_IFNAME='=enP7s7'\n"));
  EXPECT_EQ(assignments_in(script).size(), variables.size());
}

/// What a shell has in its environment once it has read the text.
std::map<std::string, std::string> sourced(const std::string& shell, const std::string& text) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "nccl";
  std::ofstream(file) << text;
  const auto command = "set -a; . " + file.string() + "; exec /usr/bin/env";
  const auto child = host::run_child({shell, "-c", command}, std::chrono::seconds(10));
  if (!child) {
    ADD_FAILURE() << child.error().what;
    return {};
  }
  EXPECT_EQ(child->status, 0) << shell;
  return assignments_in(child->out);
}

TEST(NcclEnvironment, ReachesAJobUnchangedThroughEveryShell) {
  // With every character that a value may have, and what zsh takes for the path of a command.
  const auto own =
      replaced(kRing, "nccl: { mode: safe }",
               "extra: { NCCL_EXAMPLE: '=^ls:=ls,_.+@%*-:a' }, variables: { NCCL_IB_ADDR_RANGE: "
               "10.0.0.0/8 }");
  const auto variables = nccl_variables(node_of(own, "a"));
  const auto wanted = assignments_in(environment_text(variables));
  const auto expect_all = [&](const std::map<std::string, std::string>& got) {
    for (const auto& variable : wanted) EXPECT_THAT(got, Contains(variable));
  };
  for (const auto* shell : {"/bin/sh", "/bin/bash", "/usr/bin/zsh"}) {
    SCOPED_TRACE(shell);
    expect_all(sourced(shell, export_text(variables)));
  }
  // systemd and container engines read this one, and these shells too.
  for (const auto* shell : {"/bin/sh", "/bin/bash"}) {
    SCOPED_TRACE(shell);
    expect_all(sourced(shell, environment_text(variables)));
  }
}

TEST(NcclEnvironment, SetsOnlyWhatAFileMaySet) {
  const auto expect_known = [](const config::Node& node) {
    for (const auto& variable : nccl_variables(node)) {
      const auto* known = config::find_job_variable(variable.name);
      ASSERT_NE(known, nullptr) << variable.name;
      EXPECT_TRUE(config::takes(*known, variable.value)) << variable.name << variable.value;
    }
  };
  expect_known(node_of(kPair, "a"));
  expect_known(node_of(replaced(kRing, "mode: safe", "mode: performance"), "a"));
  expect_known(node_of(ring_of_four(), "spark1"));
}

TEST(NcclEnvironment, GivesEachVariableAReasonOnOneLineThatNoReaderContinues) {
  for (const auto* file : {kPair, kRing}) {
    for (const auto& variable : nccl_variables(node_of(file, "a"))) {
      EXPECT_FALSE(variable.reason.empty()) << variable.name;
      EXPECT_THAT(variable.reason, Not(HasSubstr("\n"))) << variable.name;
      // systemd.exec(5): a backslash at its end continues a line, comment or not.
      EXPECT_THAT(variable.reason, Not(testing::EndsWith("\\"))) << variable.name;
    }
  }
}

TEST(NcclEnvironment, DoesNotFollowWhatHasNothingToDoWithIt) {
  const auto longer = replaced(kPair, "cluster: pair", "# another line\ncluster: pair-of-two");
  EXPECT_EQ(environment_text(nccl_variables(node_of(longer, "a"))),
            environment_text(nccl_variables(node_of(kPair, "a"))));
}

}  // namespace
}  // namespace spark::kinds
