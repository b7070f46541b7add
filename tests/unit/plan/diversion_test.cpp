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

constexpr std::uint32_t kMain = 254;

class DiversionTest : public testing::Test {
 protected:
  DiversionTest() { test::add_spark(host_); }

  std::vector<kinds::Refusal> diversions() {
    const auto node = test::node_on(host_, test::pair_text());
    auto ports = host_.host();
    host::View view(ports);
    return find_diversions(make_plan(node, view, {}), node, view);
  }

  /// A route by the management link, as a VPN or docker would make it.
  void add_route(const std::string& destination, std::uint32_t table = kMain) {
    auto ports = host_.host();
    host::View view(ports);
    host_.netlink().add_route({.destination = *IpPrefix::parse(destination),
                               .table = table,
                               .link_index = view.link("enP7s7")->index,
                               .gateway = IpAddress::parse("192.0.2.1")});
  }

  test::FakeHost host_;
};

TEST_F(DiversionTest, FindsNoneWhereOnlyTheDefaultRouteMatches) {
  EXPECT_THAT(diversions(), IsEmpty());
}

TEST_F(DiversionTest, NamesAMoreSpecificRoute) {
  add_route("198.51.100.12/32");
  const auto found = diversions();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].what, HasSubstr("198.51.100.12/32 via 192.0.2.1 dev enP7s7"));
}

TEST_F(DiversionTest, NamesARouteOfTheSameLength) {
  add_route("198.51.100.0/24");
  EXPECT_THAT(diversions(), SizeIs(1));
}

TEST_F(DiversionTest, LetsALessSpecificRouteBe) {
  add_route("198.51.0.0/16");
  EXPECT_THAT(diversions(), IsEmpty());
}

TEST_F(DiversionTest, NamesATableWhoseRuleComesBeforeMain) {
  add_route("198.51.0.0/16", 52);
  host_.netlink().add_rule({.family = IpFamily::kV4, .priority = 5270, .table = 52});
  const auto found = diversions();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].what, HasSubstr("table 52"));
}

TEST_F(DiversionTest, DoesNotJudgeARailWithoutCarrier) {
  add_route("198.51.100.12/32");
  host_.netlink().set_cable("enp1s0f0np0", false);
  EXPECT_THAT(diversions(), IsEmpty());
}

TEST_F(DiversionTest, DoesNotBlameTheRouteOfAnAddressThatThePlanMoves) {
  host_.netlink().add_foreign("enp1s0f1np1", {.address = *IpPrefix::parse("198.51.100.11/24")});
  EXPECT_THAT(diversions(), IsEmpty());
}

}  // namespace
}  // namespace spark::plan
