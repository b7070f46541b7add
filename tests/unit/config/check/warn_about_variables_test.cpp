#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"

namespace spark::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// What is said of variables in this environment of a and b, whose cages 0 a cable joins.
std::vector<std::string> said_of(std::string_view environment,
                                 std::string_view node = "{ number: 1, management: enP7s7 }") {
  const auto parsed = parse(
      fmt::format("version: 1\ncluster: lab\nnodes: {{ a: {}, b: {{ number: 2, management: enP7s7 "
                  "}} }}\nfabric: {{ mtu: 9000, cables: [{{ ends: [a:0, b:0], subnets: "
                  "[192.0.2.0/24, 198.51.100.0/24] }}] }}\nenvironment: {}\n",
                  node, environment));
  std::vector<std::string> said;
  for (const auto& one : parsed.diagnostics) {
    EXPECT_EQ(one.severity, Severity::kWarning) << one.message;
    EXPECT_EQ(one.id, "SR-SPEC-219") << one.message;
    said.push_back(one.message);
  }
  return said;
}

std::vector<std::string> said_of_variable(std::string_view name, std::string_view value) {
  return said_of(fmt::format("{{ variables: {{ {}: \"{}\" }} }}", name, value));
}

TEST(WarnAboutVariables, SaysNothingOfWhatFitsTheRails) {
  for (const auto* value : {"rocep1s0f0,roceP2p1s0f0", "=roceP2p1s0f0:1,rocep1s0f0:1", "roce",
                            "^mlx5", "^=rocep1s0f1"}) {
    EXPECT_THAT(said_of_variable("NCCL_IB_HCA", value), IsEmpty()) << value;
  }
  for (const auto* value : {"rocep1s0f0:1,roceP2p1s0f0:1", "all", "^rocep1s0f1:1"}) {
    EXPECT_THAT(said_of_variable("UCX_NET_DEVICES", value), IsEmpty()) << value;
  }
  for (const auto* value : {"enP7s7", "=enp1s0f0np0", "enp1s0f0", "^docker0,lo"}) {
    EXPECT_THAT(said_of_variable("NCCL_SOCKET_IFNAME", value), IsEmpty()) << value;
  }
  EXPECT_THAT(said_of_variable("OMPI_MCA_btl_tcp_if_include", "192.0.2.0/24"), IsEmpty());
  EXPECT_THAT(said_of_variable("OMPI_MCA_btl_tcp_if_exclude", "lo,docker0"), IsEmpty());
}

TEST(WarnAboutVariables, NamesARailThatIsLeftOut) {
  EXPECT_THAT(said_of_variable("NCCL_IB_HCA", "rocep1s0f0"),
              ElementsAre("'NCCL_IB_HCA' leaves out 'roceP2p1s0f0', a rail of 'a'"));
  EXPECT_THAT(said_of_variable("NCCL_IB_HCA", "^=roceP2p1s0f0"),
              ElementsAre("'NCCL_IB_HCA' leaves out 'roceP2p1s0f0', a rail of 'a'"));
  EXPECT_THAT(said_of_variable("UCX_NET_DEVICES", "roceP2p1s0f0:1"),
              ElementsAre("'UCX_NET_DEVICES' leaves out 'rocep1s0f0', a rail of 'a'"));
}

TEST(WarnAboutVariables, NamesADeviceThatIsNoRail) {
  EXPECT_THAT(said_of_variable("NCCL_IB_HCA", "mlx5_0"),
              ElementsAre("'NCCL_IB_HCA' names 'mlx5_0', which is no rail of 'a'"));
  EXPECT_THAT(said_of_variable("UCX_NET_DEVICES", "rocep1s0f0:1,roceP2p1s0f0:1,rocep1s0f1:1"),
              ElementsAre("'UCX_NET_DEVICES' names 'rocep1s0f1:1', which is no rail of 'a'"));
}

TEST(WarnAboutVariables, SaysThatAnInterfaceSelectsTcp) {
  EXPECT_THAT(said_of_variable("UCX_NET_DEVICES", "enp1s0f0np0"),
              ElementsAre("'UCX_NET_DEVICES' selects TCP: 'enp1s0f0np0' is an interface"));
  EXPECT_THAT(said_of_variable("NCCL_IB_DISABLE", "1"),
              ElementsAre("'NCCL_IB_DISABLE' turns RDMA off"));
}

TEST(WarnAboutVariables, NamesAnInterfaceThatTheFileDoesNotHave) {
  for (const auto* name : {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME",
                           "OMPI_MCA_oob_tcp_if_include"}) {
    EXPECT_THAT(
        said_of_variable(name, "eth0"),
        ElementsAre(fmt::format("'{}' names 'eth0', which is no link of 'a' in this file", name)));
  }
  EXPECT_THAT(
      said_of_variable("GLOO_SOCKET_IFNAME", "enP7"),
      ElementsAre("'GLOO_SOCKET_IFNAME' names 'enP7', which is no link of 'a' in this file"))
      << "Gloo takes whole names";
}

TEST(WarnAboutVariables, LetsANodesOwnVariableReplaceThatOfAll) {
  constexpr std::string_view kAll = "{ variables: { GLOO_SOCKET_IFNAME: eth0 } }";
  EXPECT_THAT(
      said_of(kAll, "{ number: 1, links: { eth0: { owner: host } } }"),
      ElementsAre("'GLOO_SOCKET_IFNAME' names 'eth0', which is no link of 'b' in this file"));
  EXPECT_THAT(said_of("{ variables: { GLOO_SOCKET_IFNAME: enP7s7 } }",
                      "{ number: 1, management: eno1, environment: { variables: { "
                      "GLOO_SOCKET_IFNAME: eno1 } } }"),
              IsEmpty());
}

TEST(WarnAboutVariables, LeavesDevicesAloneThatOnlyTheMachineKnows) {
  constexpr std::string_view kOther =
      "{ number: 1, cages: { 0: [eth2, eth3] }, environment: { "
      "variables: { NCCL_IB_HCA: mlx5_2, GLOO_SOCKET_IFNAME: eth2 } } }";
  EXPECT_THAT(said_of("{}", kOther), IsEmpty());
}

TEST(WarnAboutVariables, LooksAtLinksByNameWhereThereIsNoCable) {
  constexpr std::string_view kText = R"(
version: 1
cluster: lab
nodes:
  a: { links: { enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] },
                enP2p1s0f0np0: { mtu: 9000, addresses: [198.51.100.1/24] } } }
environment: { variables: { NCCL_IB_HCA: roceP2p1s0f0 } }
)";
  const auto parsed = parse(kText);
  ASSERT_EQ(parsed.diagnostics.size(), 1U);
  EXPECT_EQ(parsed.diagnostics[0].message, "'NCCL_IB_HCA' leaves out 'rocep1s0f0', a rail of 'a'");
}

}  // namespace
}  // namespace spark::config
