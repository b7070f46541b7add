#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_cluster.hpp"
#include "plan/refusals.hpp"

namespace spark::plan {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class GuardTest : public testing::Test {
 protected:
  GuardTest() { test::add_spark(host_); }

  std::vector<kinds::Refusal> refusals(const std::string& links) {
    const auto node = test::node_on(
        host_, "version: 1\ncluster: one\nnodes: { spark1: { links: { " + links + " } } }\n");
    auto ports = host_.host();
    host::View view(ports);
    return guard(make_plan(node, view, {}), node, view, {});
  }

  test::FakeHost host_;
};

TEST_F(GuardTest, RefusesToTakeDownTheLinkOfTheDefaultRoute) {
  const auto found = refusals("enP7s7: { up: false }");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].why, kinds::Refusal::Why::kRefused);
  EXPECT_THAT(found[0].what, HasSubstr("the default route leaves by it"));
  EXPECT_GT(found[0].where.line, 0);
}

TEST_F(GuardTest, RefusesToTakeDownWhatAVlanWithTheDefaultRouteStandsOn) {
  auto ports = host_.host();
  host::View now(ports);
  const int device = now.link("enp1s0f0np0")->index;
  const int vlan =
      host_.netlink().plug({.name = "lan.5", .up = true, .kind = "vlan", .lower = device});
  host_.netlink().add_route({.destination = *IpPrefix::parse("0.0.0.0/0"),
                             .table = 254,
                             .link_index = vlan,
                             .gateway = IpAddress::parse("192.0.2.1")});
  EXPECT_THAT(refusals("enp1s0f0np0: { up: false }"), SizeIs(1));
  EXPECT_THAT(refusals("enp1s0f1np1: { up: false }"), IsEmpty());
}

TEST_F(GuardTest, AllowsARailWhoseDefaultRouteIsNotTheOneInUse) {
  auto ports = host_.host();
  const int rail = host::View(ports).link("enp1s0f0np0")->index;
  host::RouteInfo route{.destination = *IpPrefix::parse("0.0.0.0/0"),
                        .table = 254,
                        .link_index = rail,
                        .gateway = IpAddress::parse("198.51.100.1"),
                        .metric = 20102};
  host_.netlink().add_route(route);
  EXPECT_THAT(refusals("enp1s0f0np0: { up: false }"), IsEmpty());
  EXPECT_THAT(refusals("enP7s7: { up: false }"), SizeIs(1));
  route.table = 7;  // which a rule asks first
  host_.netlink().add_route(route);
  EXPECT_THAT(refusals("enp1s0f0np0: { up: false }"), SizeIs(1));
}

TEST_F(GuardTest, RefusesToTakeTheAddressThatReachesTheGateway) {
  EXPECT_THAT(refusals("enP7s7: { exclusive: true, addresses: [192.0.2.77/24] }"), SizeIs(1));
}

TEST_F(GuardTest, AllowsOtherChangesOfTheSameLink) {
  host_.netlink().add_foreign("enP7s7", {.address = *IpPrefix::parse("198.51.100.7/24")});
  EXPECT_THAT(refusals("enP7s7: { mtu: 1400, addresses: [203.0.113.7/24] }"), IsEmpty());
  EXPECT_THAT(refusals("enP7s7: { exclusive: true, addresses: [192.0.2.10/24] }"), IsEmpty());
}

TEST_F(GuardTest, RefusesToTakeAnAddressThatAnSshSessionIsConnectedThrough) {
  host_.netlink().add_foreign("enp1s0f0np0", {.address = *IpPrefix::parse("198.51.100.7/24")});
  const auto* const links = "enp1s0f0np0: { exclusive: true, addresses: [198.51.100.8/24] }";
  EXPECT_THAT(refusals(links), IsEmpty());
  host_.system().add_ssh_session(*IpAddress::parse("198.51.100.7"));
  EXPECT_THAT(refusals(links), SizeIs(1));
  EXPECT_THAT(refusals("enp1s0f0np0: { up: false }"), SizeIs(1));
}

TEST_F(GuardTest, KeepsTheWayToAVolumeThatIsMounted) {
  const std::string nqn = "nqn.2014-08.org.example:data";
  host_.storage().connect(nqn, "enp1s0f0np0");
  EXPECT_THAT(refusals("enp1s0f0np0: { up: false }"), IsEmpty()) << "nobody uses it";
  host_.storage().mount({.path = "/mnt/data",
                         .device = host_.storage().volume(nqn)->device,
                         .source = "/dev/nvme1n1",
                         .type = "ext4"});
  const auto found = refusals("enp1s0f0np0: { up: false }");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].id, "SR-GUARD-003");
  EXPECT_THAT(found[0].what, HasSubstr("'/mnt/data' is in use"));
  EXPECT_THAT(refusals("enp1s0f1np1: { up: false }"), IsEmpty()) << "another link";
}

TEST_F(GuardTest, RefusesWhenItCannotTell) {
  host_.make_unreadable("routes");
  EXPECT_THAT(refusals("enp1s0f0np0: { up: false }"), SizeIs(1));
  EXPECT_THAT(refusals("enp1s0f0np0: { mtu: 9000 }"), IsEmpty());
}

}  // namespace
}  // namespace spark::plan
