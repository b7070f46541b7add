#include "kinds/network/route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "fake/names.hpp"
#include "state/ledger.hpp"

namespace spark::kinds {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A Spark whose file has an IPv4 route over its first rail.
class RouteTest : public test::PassTest {
 protected:
  RouteTest() {
    text_ = test::every_kind_text().substr(0, test::every_kind_text().find("storage:"));
  }

  std::vector<std::string> steps() {
    std::vector<std::string> names;
    for (const auto& step : plan().steps) names.push_back(step.name());
    return names;
  }

  /// Routes to that network, whoever made them.
  std::vector<host::RouteInfo> routes(const std::string& to = "10.77.0.0/16") {
    auto routes = host_.netlink().routes().value();
    std::erase_if(routes, [&](const host::RouteInfo& route) {
      return route.destination != *IpPrefix::parse(to);
    });
    return routes;
  }

  host::RouteInfo by_somebody(const std::string& via, const std::string& link) {
    const auto links = host_.netlink().links().value();
    const auto found = std::ranges::find(links, link, &host::LinkInfo::name);
    return {.destination = *IpPrefix::parse("10.77.0.0/16"),
            .table = host::kMainTable,
            .protocol = 4,
            .link_index = found->index,
            .gateway = IpAddress::parse(via)};
  }

  void replace(const std::string& what, const std::string& with) {
    const auto at = text_.find(what);
    ASSERT_NE(at, std::string::npos);
    text_.replace(at, what.size(), with);
  }
};

TEST_F(RouteTest, IsAddedWithOurNumberAndComesBack) {
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  ASSERT_EQ(routes().size(), 1U);
  EXPECT_EQ(routes().front().protocol, host::kMadeByUs);
  EXPECT_THAT(steps(), IsEmpty());
  host_.netlink().remove_route(routes().front());
  EXPECT_THAT(steps(), ElementsAre("route enp1s0f0np0 10.77.0.0/16"));
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_EQ(routes().size(), 1U);
}

TEST_F(RouteTest, LeavesWithItsLine) {
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  replace(", links: { enp1s0f0np0: { routes: [{ to: 10.77.0.0/16, via: 198.51.100.12 }] } }", "");
  EXPECT_THAT(steps(), ElementsAre("route enp1s0f0np0 10.77.0.0/16"));
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(routes(), IsEmpty());
}

TEST_F(RouteTest, ARouteOfSomebodyElseStays) {
  host_.netlink().add_route(by_somebody("198.51.100.13", test::kRail));
  EXPECT_EQ(apply().exit_code(), ExitCode::kUnknown);
  ASSERT_EQ(routes().size(), 1U);
  EXPECT_EQ(routes().front().protocol, 4);
  const auto skipped = plan().skipped;
  ASSERT_FALSE(skipped.empty());
  const auto ours = std::ranges::find(skipped, "route", &plan::SkippedResource::kind);
  ASSERT_NE(ours, skipped.end());
  EXPECT_EQ(ours->skipped.id, "SR-ROUTE-003");
  EXPECT_THAT(ours->skipped.reason, HasSubstr("via 198.51.100.13 dev enp1s0f0np0 (protocol 4)"));
}

TEST_F(RouteTest, OneOfSomebodyElseThatLeadsThereIsEnough) {
  host_.netlink().add_route(by_somebody("198.51.100.12", test::kRail));
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  replace(", links: { enp1s0f0np0: { routes: [{ to: 10.77.0.0/16, via: 198.51.100.12 }] } }", "");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_EQ(routes().size(), 1U) << "it is not ours";
}

TEST_F(RouteTest, OneOfSomebodyElseWithSeveralNextHopsLeadsElsewhere) {
  for (const auto* via : {"198.51.100.12", "198.51.100.13"}) {
    host_.netlink().add_route(by_somebody(via, test::kRail));
  }
  EXPECT_EQ(apply().exit_code(), ExitCode::kUnknown);
  EXPECT_EQ(routes().size(), 2U);
  const auto skipped = plan().skipped;
  const auto ours = std::ranges::find(skipped, "route", &plan::SkippedResource::kind);
  ASSERT_NE(ours, skipped.end());
  EXPECT_THAT(ours->skipped.reason, HasSubstr("via 198.51.100.13 dev enp1s0f0np0 (protocol 4)"));
}

TEST_F(RouteTest, ThatTheKernelJoinedWithOneOfSomebodyElseIsNeitherRemovedNorTakenForOurs) {
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  auto joined = by_somebody("198.51.100.13", test::kRail);
  joined.protocol = host::kMadeByUs;  // as IPv6 has it: the maker of the first stands for all
  host_.netlink().add_route(joined);
  EXPECT_THAT(steps(), IsEmpty());
  EXPECT_EQ(plan().status(), ExitCode::kUnknown);
  replace(", links: { enp1s0f0np0: { routes: [{ to: 10.77.0.0/16, via: 198.51.100.12 }] } }", "");
  EXPECT_THAT(steps(), IsEmpty());
}

TEST_F(RouteTest, LeavesWithItsLineAlsoWhereTheLedgerIsLost) {
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  host_.netlink().add_route(by_somebody("198.51.100.13", test::kRail));
  auto other = by_somebody("198.51.100.13", test::kRail);
  other.destination = *IpPrefix::parse("10.78.0.0/16");
  host_.netlink().add_route(other);
  host_.files().erase(state::ledger_path("spark1"));
  replace(", links: { enp1s0f0np0: { routes: [{ to: 10.77.0.0/16, via: 198.51.100.12 }] } }", "");
  EXPECT_THAT(steps(), ElementsAre("route enp1s0f0np0 10.77.0.0/16"));
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  ASSERT_EQ(routes().size(), 1U);
  EXPECT_EQ(routes().front().protocol, 4);
  EXPECT_EQ(routes("10.78.0.0/16").size(), 1U);
}

TEST_F(RouteTest, ThatAnAddressTookAlongComesBackWithTheNextPass) {
  replace("via: 198.51.100.12 }", "via: 198.51.100.12, source: 198.51.100.11 }");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  replace("198.51.100.0/24", "198.51.100.0/25");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDifferences);
  EXPECT_THAT(steps(), ElementsAre("route enp1s0f0np0 10.77.0.0/16"));
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_EQ(routes().size(), 1U);
  EXPECT_THAT(steps(), IsEmpty());
}

TEST_F(RouteTest, KeepsNoAddressOnALinkThatIsExclusive) {
  text_ = R"(version: 1
cluster: one
nodes:
  spark1:
    links:
      enp1s0f0np0: { addresses: [198.51.100.11/24], exclusive: true,
                     routes: [{ to: 10.77.0.0/16, via: 198.51.100.12 }] }
)";
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  replace("198.51.100.11/24", "198.51.100.21/24");
  EXPECT_THAT(plan().refusals, IsEmpty());
}

TEST_F(RouteTest, ARollbackRestoresWhatWasThereBefore) {
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  const auto before = routes();
  replace("via: 198.51.100.12", "via: 198.51.100.13");
  host_.refuse_if("net.core.rmem_max");
  replace("268435456", "4194304");
  EXPECT_EQ(apply().outcome, apply::Report::Outcome::kRolledBack);
  EXPECT_EQ(routes(), before);
}

TEST_F(RouteTest, ARollbackAddsItOnceItsAddressIsThereAgain) {
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  const auto before = routes();
  text_ = test::one_setting_text();
  host_.refuse_if("net.core.rmem_max");
  EXPECT_EQ(apply().outcome, apply::Report::Outcome::kRolledBack);
  EXPECT_EQ(routes(), before);
}

TEST_F(RouteTest, WaitsForASourceThatIsNotThere) {
  replace("via: 198.51.100.12 }", "via: 198.51.100.12, source: 203.0.113.11 }");
  host_.netlink().unplug("enP2p1s0f0np0");
  const auto report = apply();
  EXPECT_EQ(report.exit_code(), ExitCode::kWaiting);
  EXPECT_EQ(routes(), std::vector<host::RouteInfo>{});
}

TEST_F(RouteTest, TakesNoSubnetOfAnotherLinkAndNobodyWhoIsLoggedIn) {
  replace("10.77.0.0/16", "192.0.2.128/25");
  host_.netlink().add_foreign("enP7s7", {.address = *IpPrefix::parse("192.0.2.20/24")});
  auto refusals = plan().refusals;
  ASSERT_EQ(refusals.size(), 1U);
  EXPECT_EQ(refusals.front().id, "SR-ROUTE-005");
  EXPECT_THAT(refusals.front().what, HasSubstr("a subnet of 'enP7s7'"));
}

TEST_F(RouteTest, ANodeWithoutRoutesReadsNone) {
  text_ = test::pair_text();
  host_.make_unreadable("routes");
  host::View view(ports_);
  const Ledger ledger{{"mtu", {{"enp1s0f0np0", {}}}}};
  const auto observed = Route::observe(view, Route::desired(node()), {node(), ledger});
  ASSERT_TRUE(observed);
  EXPECT_THAT(observed->state, IsEmpty());
}

TEST_F(RouteTest, OfIpv6HasTheMetricOfTheKernel) {
  replace("links: { enp1s0f0np0: {", "links: { enp1s0f0np0: { addresses: [\"2001:db8::11/64\"],");
  replace("to: 10.77.0.0/16, via: 198.51.100.12",
          "to: \"2001:db8:77::/48\", via: \"2001:db8::12\"");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  ASSERT_EQ(routes("2001:db8:77::/48").size(), 1U);
  EXPECT_THAT(steps(), IsEmpty());
}

}  // namespace
}  // namespace spark::kinds
