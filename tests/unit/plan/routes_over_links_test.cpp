#include "plan/routes_over_links.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "fake/names.hpp"

namespace spark::plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint8_t kOfKernel = 2;         // RTPROT_KERNEL
constexpr std::uint8_t kByAdministrator = 4;  // RTPROT_STATIC

/// A node of a pair that runs, and what others built on its rails.
class RoutesOverLinks : public test::PassTest {
 protected:
  RoutesOverLinks() { EXPECT_EQ(apply().exit_code(), ExitCode::kDone); }

  void add_route(const std::string& link, const std::string& destination,
                 const std::optional<IpAddress>& gateway,
                 std::uint8_t protocol = kByAdministrator) {
    host::View view(ports_);
    host_.netlink().add_route({.destination = *IpPrefix::parse(destination),
                               .table = host::kMainTable,
                               .protocol = protocol,
                               .link_index = view.link(link)->index,
                               .gateway = gateway});
  }

  /// What each step of the plan of such a file cuts.
  std::vector<std::string> cut_by(const std::string& text) {
    std::vector<std::string> routes;
    for (const auto& step : plan(text).steps) {
      for (const auto& route : step.effect.routes) routes.push_back(step.name() + ": " + route);
    }
    return routes;
  }

  std::string with(const std::string& what, const std::string& instead) {
    auto text = text_;
    text.replace(text.find(what), what.size(), instead);
    return text;
  }
};

TEST_F(RoutesOverLinks, RoutesRulesAndVlansAreNamed) {
  add_route(test::kRail, "10.20.0.0/16", IpAddress::parse("198.51.100.1"));
  add_route(test::kRail, "10.30.0.0/16", std::nullopt, kOfKernel);
  add_route("enP7s7", "10.40.0.0/16", IpAddress::parse("192.0.2.1"));
  const auto rule = [](std::uint32_t priority, const std::string& from, const std::string& link) {
    return host::RuleInfo{.family = IpFamily::kV4,
                          .priority = priority,
                          .table = 7,
                          .from = IpPrefix::parse(from),
                          .to = std::nullopt,
                          .in_link = link,
                          .out_link = ""};
  };
  host_.netlink().add_rule(rule(100, "198.51.100.0/24", ""));
  host_.netlink().add_rule(rule(101, "", test::kRail));
  host_.netlink().add_rule(rule(102, "192.0.2.0/24", "enP7s7"));
  host::View before(ports_);
  const auto lower = before.link(test::kRail)->index;
  host_.netlink().plug({.name = "fabric.100", .kind = "vlan", .lower = lower});
  host::View view(ports_);
  EXPECT_THAT(
      built_on({test::kRail}, view),
      ElementsAre("link fabric.100 (vlan)", "route 10.20.0.0/16 via 198.51.100.1 dev enp1s0f0np0",
                  "rule 100: from 198.51.100.0/24 lookup 7", "rule 101: iif enp1s0f0np0 lookup 7"));
  EXPECT_THAT(built_on({"enP2p1s0f0np0"}, view), IsEmpty());
}

TEST_F(RoutesOverLinks, AChangeOfTheSubnetCutsTheRouteBehindIt) {
  add_route(test::kRail, "10.20.0.0/16", IpAddress::parse("198.51.100.1"));
  EXPECT_THAT(cut_by(text_), IsEmpty());
  EXPECT_THAT(cut_by(with("mtu: 9000", "mtu: 4200")), IsEmpty());
  EXPECT_THAT(cut_by(with("[198.51.100.0/24, 203.0.113.0/24]", "[10.9.0.0/24, 203.0.113.0/24]")),
              ElementsAre("address enp1s0f0np0 198.51.100.11: "
                          "10.20.0.0/16 via 198.51.100.1 dev enp1s0f0np0"));
}

TEST_F(RoutesOverLinks, ARouteOfTheFileThatGoesAlongIsSaidToComeBack) {
  const auto without = text_;
  text_ = with("management: enP7s7 }",
               "management: enP7s7, links: { enp1s0f0np0: { routes: "
               "[{ to: 10.77.0.0/16, via: 198.51.100.12 }] } } }");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  const auto shorter = [](std::string text) {
    return text.replace(text.find("198.51.100.0/24"), 15, "198.51.100.0/25");
  };
  EXPECT_THAT(cut_by(shorter(text_)),
              ElementsAre("address enp1s0f0np0 198.51.100.11: 10.77.0.0/16 via 198.51.100.12 dev "
                          "enp1s0f0np0 (of this file: the next apply adds it)"));
  EXPECT_THAT(cut_by(shorter(without)), IsEmpty()) << "a step removes it";
}

TEST_F(RoutesOverLinks, TheLastAddressTakesAllRoutesAlong) {
  add_route(test::kRail, "10.20.0.0/16", IpAddress::parse("198.51.100.1"));
  add_route(test::kRail, "10.30.0.0/16", std::nullopt);
  EXPECT_THAT(cut_by(with("[spark1:0, spark2:0]", "[spark1:1, spark2:1]")),
              Contains("address enp1s0f0np0 198.51.100.11: 10.30.0.0/16 dev enp1s0f0np0"));
}

}  // namespace
}  // namespace spark::plan
