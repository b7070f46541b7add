#include <string>

#include "cli/doctor/checks.hpp"
#include "fake/names.hpp"
#include "host/view.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Ne;
using ::testing::Not;

class NetworkCheck : public ::testing::Test {
 protected:
  NetworkCheck() { test::add_spark(machine_); }

  [[nodiscard]] Findings with_a_master(const std::string& name, const std::string& kind) {
    machine_.netlink().plug({.name = name, .kind = kind});
    machine_.netlink().set_master(test::kRail, name);
    return asked(check_network, machine_);
  }

  test::FakeHost machine_;
};

TEST_F(NetworkCheck, NamesWhatARailIsAPortOf) {
  for (const std::string kind : {"bridge", "bond", "team"}) {
    const auto findings = with_a_master(kind + "0", kind);
    EXPECT_THAT(findings, Contains(says("port", Severity::kPrevents,
                                        "enp1s0f0np0 is a port of the " + kind + " '" + kind +
                                            "0', which takes its packets: addresses on it carry "
                                            "no RDMA")))
        << kind;
    EXPECT_THAT(findings,
                Contains(Field(&Finding::remedy, HasSubstr("ip link set enp1s0f0np0 nomaster"))))
        << kind;
  }
}

TEST_F(NetworkCheck, SaysNothingOfAMasterThatLeavesThePackets) {
  EXPECT_THAT(with_a_master("vrf0", "vrf"), Each(Field(&Finding::name, Ne("port"))));
}

/// As guide B has it: cage 0 has the cable, cage 1 the LAN, whose gateway and DNS are the host's.
class NetworkCheckOfALanInACage : public NetworkCheck {
 protected:
  NetworkCheckOfALanInACage() {
    machine_.files().put(
        protocol::kDefaultFile,
        "version: 1\ncluster: storage\nnodes:\n  spark1:\n    number: 1\n"
        "    management: enP7s7\n    links:\n      enp1s0f1np1: { owner: host, "
        "addresses: [192.0.2.21/24] }\n  spark2: { number: 2 }\nfabric:\n  cables:\n"
        "    - { ends: [spark1:0, spark2:0], subnets: [198.51.100.0/24, "
        "203.0.113.0/24] }\n");
    machine_.netlink().add_foreign("enp1s0f1np1", {.address = *IpPrefix::parse("192.0.2.21/24")});
    lead_out_by("enp1s0f1np1");
  }

  void lead_out_by(const std::string& link) {
    auto ports = machine_.host();
    host::View view(ports);
    machine_.netlink().add_route({.destination = *IpPrefix::parse("0.0.0.0/0"),
                                  .table = 254,
                                  .link_index = view.link(link)->index,
                                  .gateway = IpAddress::parse("192.0.2.1")});
  }
};

TEST_F(NetworkCheckOfALanInACage, DoesNotSayToDeleteTheDefaultRouteOrTheManagementAddress) {
  EXPECT_THAT(asked(check_network, machine_), Each(Field(&Finding::severity, Severity::kGood)));
}

TEST_F(NetworkCheckOfALanInACage, DoesNotSayToDeleteTheOneDefaultRouteWhereThereIsNoFile) {
  machine_.files().erase(protocol::kDefaultFile);
  const auto findings = asked(check_network, machine_);
  EXPECT_THAT(findings,
              Contains(says("route", Severity::kLook, "enp1s0f1np1 has a default route")));
  EXPECT_THAT(findings, Each(Field(&Finding::remedy, Not(HasSubstr("ip route del")))));
  EXPECT_THAT(findings, Each(Field(&Finding::remedy, Not(HasSubstr("ip address del")))));
}

TEST_F(NetworkCheckOfALanInACage, SaysToTakeTheAddressOfTheRailAwayAndNotThatOfTheLan) {
  machine_.netlink().add_foreign(test::kRail, {.address = *IpPrefix::parse("192.0.2.99/24")});
  EXPECT_THAT(asked(check_network, machine_),
              Contains(Field(&Finding::remedy,
                             HasSubstr("`sudo ip address del 192.0.2.99/24 dev enp1s0f0np0`"))));
}

TEST_F(NetworkCheckOfALanInACage, DoesNotSayToTakeARailOutOfTheBridgeThatTheMachineIsReachedBy) {
  machine_.netlink().plug({.name = "br0", .up = true, .kind = "bridge"});
  machine_.netlink().set_master(test::kRail, "br0");
  lead_out_by("br0");
  const auto findings = asked(check_network, machine_);
  EXPECT_THAT(findings, Contains(says("port", Severity::kPrevents, "a port of the bridge 'br0'")));
  EXPECT_THAT(findings, Each(Field(&Finding::remedy, Not(HasSubstr("nomaster")))));
}

}  // namespace
}  // namespace spark::cli
