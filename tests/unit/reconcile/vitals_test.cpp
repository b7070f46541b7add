#include "reconcile/vitals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_cluster.hpp"

namespace spark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kManagement = "enP7s7";

class VitalsTest : public testing::Test {
 protected:
  VitalsTest() { add_spark(host_); }

  /// Of an apply of the pair's file, while `happens` beside it.
  std::vector<std::string> lost(const std::function<void()>& happens, bool cuts_off = false) {
    View before(ports_);
    const auto vitals =
        take_vitals(make_plan(node_on(host_, pair_text()), before, {}), before, cuts_off);
    happens();
    View after(ports_);
    return lost_vitals(vitals, after);
  }
  void remove_management_address() {
    host_.netlink().remove_foreign(kManagement, *IpPrefix::parse("192.0.2.10/24"));
  }

  FakeHost host_;
  Host ports_ = host_.host();
};

TEST_F(VitalsTest, AreAliveWhereNothingHappens) {
  host_.system().add_ssh_session(*IpAddress::parse("192.0.2.10"));
  EXPECT_THAT(lost([] {}), IsEmpty());
}

TEST_F(VitalsTest, AnAddressOfAnSshSessionIsGone) {
  host_.system().add_ssh_session(*IpAddress::parse("192.0.2.10"));
  EXPECT_THAT(lost([this] { remove_management_address(); }),
              ElementsAre(HasSubstr("192.0.2.10 is no longer to be had on 'enP7s7'")));
}

TEST_F(VitalsTest, AnAddressThatNobodyIsConnectedToMayGo) {
  host_.system().add_ssh_session(*IpAddress::parse("192.0.2.99"));
  EXPECT_THAT(lost([this] { remove_management_address(); }), IsEmpty());
}

TEST_F(VitalsTest, WhatHasToBeConfirmedMayCutSessionsOff) {
  host_.system().add_ssh_session(*IpAddress::parse("192.0.2.10"));
  EXPECT_THAT(lost([this] { remove_management_address(); }, true), IsEmpty());
}

TEST_F(VitalsTest, ALinkThatThePlanTouchesHasLostItsCarrier) {
  EXPECT_THAT(lost([this] { host_.netlink().set_cable("enp1s0f0np0", false); }),
              ElementsAre(HasSubstr("'enp1s0f0np0' had a carrier before")));
}

TEST_F(VitalsTest, ALinkThatThePlanDoesNotTouchMayLoseItsCarrier) {
  EXPECT_THAT(lost([this] { host_.netlink().set_cable(kManagement, false); }), IsEmpty());
}

}  // namespace
}  // namespace spark
