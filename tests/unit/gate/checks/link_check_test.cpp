#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(GateTest, IsClosedByALostCarrierThoughTheLoopbackPasses) {
  host_.netlink().set_cable(kRail, false);
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-001", "SR-GATE-004"));
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
  EXPECT_EQ(report.exit_code(), ExitCode::kWaiting);
}

TEST_F(GateTest, IsClosedByWhatTakesThePackets) {
  for (const std::string kind : {"bridge", "bond", "team", "openvswitch"}) {
    const auto master = kind + "0";
    host_.netlink().plug({.name = master, .kind = kind});
    host_.netlink().set_master(kRail, master);
    const auto report = look();
    EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-001")) << kind;
    const auto& fact = report.rails[0].facts[0];
    EXPECT_EQ(fact.detail, Detail::kPort);
    EXPECT_EQ(fact.measured,
              "up, carrier; a port of the " + kind + " '" + master + "', which takes its packets");
    EXPECT_THAT(fact.remedy, AllOf(HasSubstr("not now"), HasSubstr("take it out of " + master)))
        << "the volumes of a target that is in use are reached over it";
  }
}

TEST_F(GateTest, StaysOpenWithAMasterThatLeavesThePackets) {
  host_.netlink().plug({.name = "vrf0", .kind = "vrf"});
  host_.netlink().set_master(kRail, "vrf0");
  EXPECT_THAT(closed_by(look()), IsEmpty());
}

TEST_F(GateTest, IsClosedByAnotherMtuThoughTheLoopbackPasses) {
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 4500));
  // An MTU of 4500 has the same path MTU as one of 9000: only the exact value tells.
  // No echo of 9000 bytes can be sent, so no cable is proven either, which closes nothing.
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-002", "SR-GATE-016"));
}

TEST_F(GateTest, IsClosedByAMissingAddress) {
  host_.netlink().remove_foreign(kRail, kAddress);
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-003", "SR-GATE-005"));
}

TEST_F(GateTest, IsClosedByAnAddressThatHasMovedToAnotherLink) {
  host_.netlink().remove_foreign(kRail, kAddress);
  host_.netlink().add_foreign("enp1s0f1np1", {.address = kAddress});
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-003", "SR-GATE-005"));
}

TEST_F(GateTest, WaitsForAnAbsentCard) {
  for (const auto& name : test::dgx_rail_names()) {
    host_.netlink().unplug(name);
  }
  const auto report = look();
  EXPECT_EQ(report.verdict(), Verdict::kWaiting);
  EXPECT_EQ(report.exit_code(), ExitCode::kWaiting);
  EXPECT_THAT(host_.probe().requests(), IsEmpty());
}

TEST_F(GateTest, SaysThatTheModuleOfALinkWithoutCarrierIsHot) {
  host_.netlink().set_cable(kRail, false);
  host::LinkHardware hardware;
  hardware.link = kRail;
  hardware.temperatures = {{"Module0", 76'000}, {"asic", 80'000}};
  host_.hardware().facts().links = {hardware};
  EXPECT_EQ(look().rails[0].facts[0].measured,
            "up, no carrier; the cable's module is at 76 C: an optical one switches off when hot");
  host_.hardware().facts().links[0].temperatures["Module0"] = 45'000;
  EXPECT_EQ(look().rails[0].facts[0].measured, "up, no carrier");
}

}  // namespace
}  // namespace spark::gate
