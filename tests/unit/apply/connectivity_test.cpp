#include "apply/connectivity.hpp"

#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"

namespace spark::apply {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kManagement = "enP7s7";

class ConnectivityTest : public test::PassTest {
 protected:
  /// Of an apply of the pair's file, while `happens` beside it.
  std::vector<std::string> lost(const std::function<void()>& happens, bool cuts_off = false) {
    host::View before(ports_);
    const auto connectivity = record_connectivity(plan(), before, cuts_off);
    happens();
    host::View after(ports_);
    return lost_connectivity(connectivity, after);
  }
  void remove_management_address() {
    host_.netlink().remove_foreign(kManagement, *IpPrefix::parse("192.0.2.10/24"));
  }
  /// As `add_spark` adds it.
  host::RouteInfo default_route() {
    const auto routes = *host_.netlink().routes();
    return *std::ranges::find(
        routes, 0, [](const host::RouteInfo& route) { return route.destination.prefix_len; });
  }
  void log_in_from_afar() {
    host_.system().add_ssh_session(*IpAddress::parse("192.0.2.10"),
                                   *IpAddress::parse("198.51.100.7"));
  }
};

TEST_F(ConnectivityTest, AreAliveWhereNothingHappens) {
  host_.system().add_ssh_session(*IpAddress::parse("192.0.2.10"));
  EXPECT_THAT(lost([] {}), IsEmpty());
}

TEST_F(ConnectivityTest, AnAddressOfAnSshSessionIsGone) {
  host_.system().add_ssh_session(*IpAddress::parse("192.0.2.10"));
  EXPECT_THAT(lost([this] { remove_management_address(); }),
              ElementsAre(HasSubstr("192.0.2.10 is no longer to be had on 'enP7s7'")));
}

TEST_F(ConnectivityTest, AnAddressThatNobodyIsConnectedToMayGo) {
  host_.system().add_ssh_session(*IpAddress::parse("192.0.2.99"));
  EXPECT_THAT(lost([this] { remove_management_address(); }), IsEmpty());
}

TEST_F(ConnectivityTest, WhatHasToBeConfirmedMayCutSessionsOff) {
  host_.system().add_ssh_session(*IpAddress::parse("192.0.2.10"));
  EXPECT_THAT(lost([this] { remove_management_address(); }, true), IsEmpty());
}

TEST_F(ConnectivityTest, WhoIsLoggedInFromAfarHasNoRouteAnyMore) {
  log_in_from_afar();
  EXPECT_THAT(lost([this] { host_.netlink().remove_route(default_route()); }),
              ElementsAre(HasSubstr("no route leads back to the ssh client of 192.0.2.10")));
}

TEST_F(ConnectivityTest, ARouteMayGoWhereAnotherLeadsThere) {
  log_in_from_afar();
  auto nearer = default_route();
  nearer.destination = *IpPrefix::parse("198.51.100.0/24");
  host_.netlink().add_route(nearer);
  EXPECT_THAT(lost([&] { host_.netlink().remove_route(nearer); }), IsEmpty());
}

TEST_F(ConnectivityTest, ARouteThatNobodyLoggedInNeedsMayGo) {
  host_.system().add_ssh_session(*IpAddress::parse("192.0.2.10"), *IpAddress::parse("192.0.2.7"));
  EXPECT_THAT(lost([this] { host_.netlink().remove_route(default_route()); }), IsEmpty());
}

TEST_F(ConnectivityTest, WhomNoRouteLedToBeforeLosesNone) {
  auto other = default_route();
  host_.netlink().remove_route(other);
  log_in_from_afar();
  other.destination = *IpPrefix::parse("203.0.113.0/24");
  host_.netlink().add_route(other);
  EXPECT_THAT(lost([&] { host_.netlink().remove_route(other); }), IsEmpty());
}

TEST_F(ConnectivityTest, WhatHasToBeConfirmedMayTakeRoutesAway) {
  log_in_from_afar();
  EXPECT_THAT(lost([this] { host_.netlink().remove_route(default_route()); }, true), IsEmpty());
}

TEST_F(ConnectivityTest, ALinkThatThePlanTouchesHasLostItsCarrier) {
  EXPECT_THAT(lost([this] { host_.netlink().set_cable("enp1s0f0np0", false); }),
              ElementsAre(HasSubstr("'enp1s0f0np0' lost its carrier")));
}

TEST_F(ConnectivityTest, ALinkThatThePlanDoesNotTouchMayLoseItsCarrier) {
  EXPECT_THAT(lost([this] { host_.netlink().set_cable(kManagement, false); }), IsEmpty());
}

}  // namespace
}  // namespace spark::apply
