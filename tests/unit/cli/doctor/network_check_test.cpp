#include "cli/doctor/network_check.hpp"

#include <string>

#include "fake/names.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Ne;

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
                                            "0': addresses on it carry no RDMA")))
        << kind;
    EXPECT_THAT(findings,
                Contains(Field(&Finding::remedy, HasSubstr("ip link set enp1s0f0np0 nomaster"))))
        << kind;
  }
}

TEST_F(NetworkCheck, SaysNothingOfAMasterThatLeavesThePackets) {
  EXPECT_THAT(with_a_master("vrf0", "vrf"), Each(Field(&Finding::name, Ne("port"))));
}

}  // namespace
}  // namespace spark::cli
