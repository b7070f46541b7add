#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(GateTest, IsClosedByASmallerPathMtu) {
  report_of_rail([](protocol::LoopbackReport& report) { report.active_mtu = 1024; });
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-006"));
}

TEST_F(GateTest, IsClosedByTooLittleMemlock) {
  report_of_rail([](protocol::LoopbackReport& report) {
    report = {};
    report.active_mtu = 4096;
    report.failed = "ibv_reg_mr";
    report.error_number = ENOMEM;
    report.why = "Cannot allocate memory";
  });
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-008"));
}

TEST_F(GateTest, IsClosedByALoopbackThatFails) {
  report_of_rail([](protocol::LoopbackReport& report) {
    report.bytes_moved = false;
    report.failed = "READ";
    report.why = "what arrived is not what was sent";
  });
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-007"));
}

TEST_F(GateTest, IsClosedByALoopbackThatHadToBeKilled) {
  host_.probe().answer_with(
      [](const protocol::LoopbackRequest&) -> Result<protocol::LoopbackReport> {
        return fail(ErrorCode::kTimeout, "run 'probe': not done within 1 ms; it was killed");
      });
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-007", "SR-GATE-007"));
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
}

TEST_F(GateTest, IsUnknownWithoutTheProbe) {
  host_.probe().answer_with(
      [](const protocol::LoopbackRequest&) -> Result<protocol::LoopbackReport> {
        return fail(ErrorCode::kNotFound, "no probe");
      });
  EXPECT_EQ(look().exit_code(), ExitCode::kUnknown);
}

TEST_F(GateTest, MeasuresBandwidthAgainstTheFloorOfTheFile) {
  text_ += "ready: { loopback: { minimum: 98Gb/s, deadline: 7s } }\n";
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-009", "SR-GATE-009"));
  EXPECT_EQ(host_.probe().requests().front().deadline, std::chrono::seconds(7));
  EXPECT_THAT(fact_of(report.rails[1], "SR-GATE-009").measured, HasSubstr("97.0 Gb/s"));
}

TEST_F(GateTest, SaysWhatTheHardwareShowsOfASlowLoopback) {
  text_ += "ready: { loopback: { minimum: 98Gb/s } }\n";
  host::LinkHardware hardware;
  hardware.link = kRail;
  hardware.iommu = "DMA-FQ";
  hardware.pcie = {
      .speed = "16.0 GT/s PCIe", .max_speed = "32.0 GT/s PCIe", .width = 2, .max_width = 4};
  host_.hardware().facts().links = {hardware};
  const auto report = look();
  EXPECT_EQ(fact_of(report.rails[0], "SR-GATE-009").measured,
            "97.0 Gb/s inside the port, the file's floor is 98.0 Gb/s; PCIe runs at 16.0 GT/s x2, "
            "the device could 32.0 GT/s x4; the IOMMU translates (group type DMA-FQ): "
            "`iommu.passthrough=1` at boot");
  EXPECT_THAT(fact_of(report.rails[1], "SR-GATE-009").measured, Not(HasSubstr("PCIe")));
}

TEST_F(GateTest, RunsNoBandwidthWhereTheUsersOfTheDeviceCannotBeRead) {
  text_ += "ready: { loopback: { minimum: 1Gb/s } }\n";
  host_.rdma().hide_users();
  const auto report = look();
  EXPECT_FALSE(host_.probe().requests()[0].with_bandwidth);
  EXPECT_THAT(fact_of(report.rails[1], "SR-GATE-007").measured, HasSubstr("cannot be read"));
}

TEST_F(GateTest, RunsNoBandwidthBesideAJobUnlessTold) {
  text_ += "ready: { loopback: { minimum: 1Gb/s } }\n";
  host_.rdma().set_users(kDevice, 2);
  const auto report = look();
  EXPECT_EQ(report.exit_code(), ExitCode::kDone);
  EXPECT_FALSE(host_.probe().requests()[0].with_bandwidth);
  EXPECT_TRUE(host_.probe().requests()[1].with_bandwidth);
  EXPECT_THAT(fact_of(report.rails[0], "SR-GATE-007").measured, HasSubstr("no bandwidth run"));
  const auto light = look({.depth = GateOptions::Depth::kLight});
  EXPECT_THAT(fact_of(light.rails[0], "SR-GATE-007").measured, HasSubstr("no bandwidth run"));
  static_cast<void>(look({.depth = GateOptions::Depth::kFull}));
  EXPECT_TRUE(host_.probe().requests().back().with_bandwidth);
}

}  // namespace
}  // namespace spark::gate
