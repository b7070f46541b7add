#include "gate/gate.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apply/transaction.hpp"
#include "fake/fake_cluster.hpp"
#include "gate/rail_facts.hpp"

namespace spark::gate {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Ne;
using testing::Not;

constexpr const char* kRail = "enp1s0f0np0";
constexpr const char* kDevice = "rocep1s0f0";
const IpPrefix kAddress = *IpPrefix::parse("198.51.100.11/24");

/// A Spark that has been applied to: its gate is open until something happens.
class GateTest : public testing::Test {
 protected:
  GateTest() {
    test::add_spark(host_);
    auto ports = host_.host();
    host::View view(ports);
    const auto node = test::node_on(host_, text_);
    EXPECT_EQ(apply::Transaction(ports, node, plan::make_plan(node, view, {}), view, {},
                                 apply::TransactionObserver{})
                  .run()
                  .exit_code(),
              ExitCode::kDone);
  }

  GateReport look(const GateOptions& options = {}) {
    auto ports = host_.host();
    host::View view(ports);
    return judge(ports, view, test::node_on(host_, text_), options);
  }

  static const Fact& fact_of(const RailFacts& rail, const std::string& id) {
    return *std::ranges::find(rail.facts, id, &Fact::id);
  }

  /// "SR-GATE-002" for each fact of all rails that does not hold.
  static std::vector<std::string> closed_by(const GateReport& report) {
    std::vector<std::string> ids;
    for (const auto& rail : report.rails) {
      for (const auto& fact : rail.facts) {
        if (fact.verdict != Verdict::kReady) {
          ids.push_back(fact.id);
        }
      }
    }
    for (const auto& fact : report.node) {
      if (fact.verdict != Verdict::kReady) {
        ids.push_back(fact.id);
      }
    }
    return ids;
  }

  /// The loopback over `kDevice` reports what `change` makes of a good report.
  void report_of_rail(const std::function<void(protocol::LoopbackReport&)>& change) {
    host_.probe().answer_with([change](const protocol::LoopbackRequest& request) {
      auto report = test::FakeProbe::good(request);
      if (request.device == kDevice) change(report);
      return Result<protocol::LoopbackReport>(report);
    });
  }

  test::FakeHost host_;
  std::string text_ = test::pair_text();
};

TEST_F(GateTest, IsOpenWhenEveryFactHolds) {
  const auto report = look();
  EXPECT_THAT(closed_by(report), IsEmpty());
  EXPECT_EQ(report.exit_code(), ExitCode::kDone);
  ASSERT_EQ(report.rails.size(), 2U);
  EXPECT_EQ(report.rails[1].device, kDevice);
  EXPECT_EQ(host_.probe().requests().size(), 2U);
}

TEST_F(GateTest, IsClosedByALostCarrierThoughTheLoopbackPasses) {
  host_.netlink().set_cable(kRail, false);
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-001", "SR-GATE-004"));
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
  EXPECT_EQ(report.exit_code(), ExitCode::kWaiting);
}

TEST_F(GateTest, IsClosedByAnotherMtuThoughTheLoopbackPasses) {
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 4500));
  // An MTU of 4500 has the same path MTU as one of 9000: only the exact value tells.
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-002"));
}

TEST_F(GateTest, IsClosedByASmallerPathMtu) {
  report_of_rail([](protocol::LoopbackReport& report) { report.active_mtu = 1024; });
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-006"));
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

TEST_F(GateTest, IsClosedByAnAddressWithoutItsGid) {
  host_.rdma().lose_gid(kAddress.ip);
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-005"));
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

TEST_F(GateTest, RegistersInANewServiceAsMuchAsTheFileSays) {
  const auto report = look();
  ASSERT_FALSE(report.node.empty());
  EXPECT_EQ(report.node[0].id, "SR-GATE-015");
  EXPECT_EQ(report.node[0].measured,
            "64 MiB registered in a new service, which may lock without limit");
  ASSERT_EQ(host_.probe().registrations().size(), 1U);
  EXPECT_EQ(host_.probe().registrations()[0].bytes, std::uint64_t{64} * 1024 * 1024);
}

TEST_F(GateTest, IsClosedByAServiceThatMayLockLessThanTheFileSays) {
  host_.probe().register_with(
      protocol::RegistrationReport{.registered = true,
                                   .limit = std::uint64_t{512} * 1024 * 1024,
                                   .failed = std::nullopt,
                                   .error_number = 0,
                                   .why = ""});
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-015"));
  EXPECT_THAT(report.node[0].measured,
              HasSubstr("which may lock 512 MiB; the file says unlimited"));
}

TEST_F(GateTest, IsClosedByAServiceThatCannotRegister) {
  host_.probe().register_with(protocol::RegistrationReport{.registered = false,
                                                           .limit = 8388608,
                                                           .failed = "ibv_reg_mr",
                                                           .error_number = ENOMEM,
                                                           .why = "Cannot allocate memory"});
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-015"));
  EXPECT_EQ(report.node[0].measured,
            "ibv_reg_mr of 64 MiB in a new service, which may lock 8 MiB: Cannot allocate memory");
}

TEST_F(GateTest, DoesNotBlameTheLimitWhereItWouldDo) {
  host_.probe().register_with(protocol::RegistrationReport{.registered = false,
                                                           .limit = UINT64_MAX,
                                                           .failed = "ibv_reg_mr",
                                                           .error_number = ENOMEM,
                                                           .why = "Cannot allocate memory"});
  EXPECT_THAT(look().node[0].remedy, HasSubstr("the limit is not why"));
}

TEST_F(GateTest, GoesWithoutANewServiceWhereThereIsNoSystemd) {
  host_.probe().register_with(fail(ErrorCode::kUnsupported, "no bus"));
  EXPECT_THAT(look().node, Each(Field(&Fact::id, Ne("SR-GATE-015"))));
  EXPECT_EQ(look().verdict(), Verdict::kReady);
}

TEST_F(GateTest, IsUnknownWhereTheNewServiceSaidNothing) {
  host_.probe().register_with(fail(ErrorCode::kInvalid, "'spark-verbs-probe' gave no report"));
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-015"));
  EXPECT_EQ(look().verdict(), Verdict::kUnknown);
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

TEST_F(GateTest, WaitsForAnAbsentCard) {
  for (const auto& name : test::dgx_rail_names()) {
    host_.netlink().unplug(name);
  }
  const auto report = look();
  EXPECT_EQ(report.verdict(), Verdict::kWaiting);
  EXPECT_EQ(report.exit_code(), ExitCode::kWaiting);
  EXPECT_THAT(host_.probe().requests(), IsEmpty());
}

TEST_F(GateTest, MeasuresBandwidthAgainstTheFloorOfTheFile) {
  text_ += "ready: { loopback: { minimum: 98Gb/s, deadline: 7s } }\n";
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-009", "SR-GATE-009"));
  EXPECT_EQ(host_.probe().requests().front().deadline, std::chrono::seconds(7));
  EXPECT_THAT(fact_of(report.rails[0], "SR-GATE-009").measured, HasSubstr("97.0 Gb/s"));
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
  EXPECT_EQ(fact_of(report.rails[1], "SR-GATE-009").measured,
            "97.0 Gb/s inside the port, the file's floor is 98.0 Gb/s; PCIe runs at 16.0 GT/s x2, "
            "the device could 32.0 GT/s x4; the IOMMU translates (group type DMA-FQ): "
            "`iommu.passthrough=1` at boot");
  EXPECT_THAT(fact_of(report.rails[0], "SR-GATE-009").measured, Not(HasSubstr("PCIe")));
}

TEST_F(GateTest, SaysThatTheModuleOfALinkWithoutCarrierIsHot) {
  host_.netlink().set_cable(kRail, false);
  host::LinkHardware hardware;
  hardware.link = kRail;
  hardware.temperatures = {{"Module0", 76'000}, {"asic", 80'000}};
  host_.hardware().facts().links = {hardware};
  EXPECT_EQ(look().rails[1].facts[0].measured,
            "up, no carrier; the cable's module is at 76 C: an optical one switches off when hot");
  host_.hardware().facts().links[0].temperatures["Module0"] = 45'000;
  EXPECT_EQ(look().rails[1].facts[0].measured, "up, no carrier");
}

TEST_F(GateTest, NamesKhoWhereTheKernelRunsWithIt) {
  host_.probe().register_with(protocol::RegistrationReport{.registered = false,
                                                           .limit = UINT64_MAX,
                                                           .failed = "ibv_reg_mr",
                                                           .error_number = ENOMEM,
                                                           .why = "Cannot allocate memory"});
  EXPECT_THAT(look().node[0].remedy, HasSubstr("this one runs without"));
  host_.hardware().facts().command_line = "root=/dev/sda1 kho=off quiet";
  EXPECT_THAT(look().node[0].remedy, Not(HasSubstr("kho")));
}

TEST_F(GateTest, KeepsWhatALightLookLeavesOut) {
  text_ += "ready: { loopback: { minimum: 98Gb/s } }\n";
  const auto first = look();
  auto second = look({.depth = GateOptions::Depth::kLight});
  EXPECT_EQ(second.verdict(), Verdict::kReady);
  EXPECT_EQ(host_.probe().registrations().size(), 1U);
  EXPECT_TRUE(keep_measured(first, second));
  EXPECT_EQ(second.node.back().id, "SR-GATE-015");
  EXPECT_THAT(closed_by(second), ElementsAre("SR-GATE-009", "SR-GATE-009"));
}

TEST_F(GateTest, RunsNoBandwidthWhereTheUsersOfTheDeviceCannotBeRead) {
  text_ += "ready: { loopback: { minimum: 1Gb/s } }\n";
  host_.rdma().hide_users();
  const auto report = look();
  EXPECT_FALSE(host_.probe().requests()[0].with_bandwidth);
  EXPECT_THAT(fact_of(report.rails[0], "SR-GATE-007").measured, HasSubstr("cannot be read"));
}

TEST_F(GateTest, RunsNoBandwidthBesideAJobUnlessTold) {
  text_ += "ready: { loopback: { minimum: 1Gb/s } }\n";
  host_.rdma().set_users(kDevice, 2);
  const auto report = look();
  EXPECT_EQ(report.exit_code(), ExitCode::kDone);
  EXPECT_TRUE(host_.probe().requests()[0].with_bandwidth);
  EXPECT_FALSE(host_.probe().requests()[1].with_bandwidth);
  EXPECT_THAT(fact_of(report.rails[1], "SR-GATE-007").measured, HasSubstr("no bandwidth run"));
  static_cast<void>(look({.depth = GateOptions::Depth::kFull}));
  EXPECT_TRUE(host_.probe().requests().back().with_bandwidth);
}

const IpAddress kPeer = *IpAddress::parse("198.51.100.12");

protocol::EchoReport only_small(const protocol::EchoRequest& request) {
  return {.whole = request.to != kPeer, .small = true, .took = {}, .refused = ""};
}

TEST_F(GateTest, AsksEachPeerForThePacketThatTheMtuAllows) {
  const auto report = look();
  EXPECT_EQ(report.rails[1].facts.back().measured,
            "spark2 (198.51.100.12) answers 9000 bytes in 0.21 ms");
  ASSERT_EQ(host_.probe().echoes().size(), 2U);
  EXPECT_EQ(
      host_.probe().echoes()[1],
      (protocol::EchoRequest{.link = kRail, .from = kAddress.ip, .to = kPeer, .bytes = 9000}));
}

TEST_F(GateTest, ShowsAPeerThatItDoesNotRequire) {
  host_.probe().echo_with([](const protocol::EchoRequest&) { return protocol::EchoReport{}; });
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-011", "SR-GATE-011"));
  EXPECT_EQ(report.verdict(), Verdict::kReady);
  EXPECT_EQ(report.rails[1].facts.back().measured, "spark2 (198.51.100.12) does not answer");
}

TEST_F(GateTest, IsClosedByAPeerThatItRequires) {
  text_ += "ready: { peers: require }\n";
  EXPECT_EQ(look().verdict(), Verdict::kReady);
  host_.probe().echo_with(only_small);
  const auto report = look();
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
  EXPECT_EQ(report.rails[1].facts.back().measured,
            "spark2 (198.51.100.12) answers 84 bytes and not 9000");
  EXPECT_THAT(report.rails[1].facts.back().remedy, HasSubstr("MTU"));
}

TEST_F(GateTest, AsksNobodyWherePeersAreOff) {
  text_ += "ready: { peers: off }\n";
  static_cast<void>(look());
  EXPECT_THAT(host_.probe().echoes(), IsEmpty());
}

TEST_F(GateTest, AsksNobodyOverARailWithoutCarrier) {
  host_.netlink().set_cable(kRail, false);
  EXPECT_NE(look().rails[1].facts.back().id, "SR-GATE-011");
  EXPECT_EQ(host_.probe().echoes().size(), 1U);
}

TEST_F(GateTest, DoesNotKnowItsPeersWhereItMayNotAsk) {
  host_.probe().refuse_echo({ErrorCode::kPermission, "this process may send no echo"});
  EXPECT_EQ(look().verdict(), Verdict::kReady);
  text_ += "ready: { peers: require }\n";
  EXPECT_EQ(look().verdict(), Verdict::kUnknown);
}

TEST_F(GateTest, IsNotOpenForANodeWithoutRails) {
  text_ = "version: 1\ncluster: lab\nnodes: { spark1: {} }\n";
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-012"));
}

constexpr const char* kRequiresStorage = "ready: { storage: require }\n";

TEST_F(GateTest, ShowsStorageThatItDoesNotRequire) {
  host_.storage().set_state("nqn.2014-08.org.example:data", "connecting");
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-010", "SR-GATE-013"));
  EXPECT_EQ(report.exit_code(), ExitCode::kDone);
}

TEST_F(GateTest, WaitsForATargetThatItRequires) {
  text_ += kRequiresStorage;
  host_.storage().set_state("nqn.2014-08.org.example:data", "connecting");
  EXPECT_EQ(look().verdict(), Verdict::kWaiting);
}

TEST_F(GateTest, IsClosedByAVolumeThatCannotBeWrittenThoughItsMountLooksRight) {
  text_ += kRequiresStorage;
  EXPECT_EQ(look().verdict(), Verdict::kReady);
  host_.storage().break_volume("/mnt/data",
                               {ErrorCode::kPermission, "write: Read-only file system"});
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-014"));
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
}

TEST_F(GateTest, IsClosedByAMissingMount) {
  text_ += kRequiresStorage;
  host_.storage().disconnect("nqn.2014-08.org.example:data");
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-010", "SR-GATE-013"));
}

TEST(PathMtu, LeavesRoomForTheHeaders) {
  EXPECT_EQ(path_mtu_of(9000), 4096U);
  EXPECT_EQ(path_mtu_of(4192), 4096U);
  EXPECT_EQ(path_mtu_of(4191), 2048U);
  EXPECT_EQ(path_mtu_of(1500), 1024U);
  EXPECT_EQ(path_mtu_of(352), 256U);
  EXPECT_EQ(path_mtu_of(351), 0U);
  EXPECT_EQ(path_mtu_of(68), 0U);
}

}  // namespace
}  // namespace spark::gate
