// Cables that are plugged in wrongly, on the kernel's own ARP and neighbour discovery: what the
// gate makes of each. Rail 0 of each cage is a wire; the clock of the looks is the test's.

#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"
#include "config/resolve/resolve.hpp"
#include "fake/fake_host.hpp"
#include "fake/names.hpp"
#include "gate/checks/checks.hpp"
#include "gate/common/cabling_memory.hpp"
#include "host/linux/helper_probe.hpp"
#include "host/linux/linux_system.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using gate::CablingState;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr const char* kCage1 = "enp1s0f1np1";
constexpr const char* kRing = R"(version: 1
cluster: ring
nodes: { spark1: { number: 1 }, spark2: { number: 2 }, spark3: { number: 3 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:1], subnets: [198.51.100.0/28, 198.51.100.16/28] }
    - { ends: [spark3:0, spark1:1], subnets: [198.51.100.32/28, 198.51.100.48/28] }
    - { ends: [spark2:0, spark3:1], subnets: [203.0.113.0/28, 203.0.113.16/28] }
)";

/// spark1 is this namespace; the others are made as a test needs them.
class Cabling : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    here_.emplace(Namespace::current());
    make_machine("spark2");
    make_machine("spark3");
    here_->enter();
    prepare();
  }

  void TearDown() override {
    if (here_) here_->enter();
    NamespaceTest::TearDown();
  }

  /// As an apply leaves it: only the rail that has an address answers for it. It sends no echo, so
  /// that ARP has to prove the cable.
  static void prepare(const char* arp_ignore = "1") {
    host::LinuxSysctl sysctl;
    EXPECT_TRUE(sysctl.write("net.ipv4.conf.all.arp_ignore", arp_ignore));
    EXPECT_TRUE(sysctl.write("net.ipv4.icmp_echo_ignore_all", "1"));
  }

  void make_machine(const std::string& name) {
    machines_.emplace(name, Namespace::enter_new());
    ip("link set lo up");
    prepare();
    here_->enter();
  }

  void on(const std::string& machine, const std::function<void()>& act) {
    machines_.at(machine).enter();
    act();
    here_->enter();
  }
  void ip_on(const std::string& machine, const std::string& words) {
    on(machine, [&] { ip(words); });
  }

  /// A wire from our cage to `far` of another machine, which has `address` there.
  void plug(const char* rail, const std::string& machine, const std::string& far,
            const std::string& address) {
    ip(fmt::format("link add {} type veth peer name {} netns {}", rail, far,
                   machines_.at(machine).path()));
    ip_on(machine, fmt::format("address add {} dev {}", address, far));
    ip_on(machine, fmt::format("link set {} up", far));
    set_up(rail);
  }

  void set_up(const char* rail) {
    ip(fmt::format("link set {} up", rail));
    ip(fmt::format("address add {} dev {}",
                   rail == std::string(kRail) ? "198.51.100.1/28" : "198.51.100.33/28", rail));
  }

  gate::RailFacts look(std::chrono::milliseconds at, const char* rail = kRail) {
    const auto cluster = config::parse(kRing).cluster;
    const auto node = *config::resolve(cluster, "spark1", {});
    auto fake = fake_.host();
    host::Host ports{netlink_, fake.sysctl,   fake.files,   fake.system,  fake.rdma,     probe_,
                     fake.bus, fake.hardware, fake.storage, fake.modules, fake.processes};
    host::View view(ports);
    memory_.begin(seconds(1000) + at);
    const gate::GateOptions options{.cabling = &memory_};
    const gate::GateSnapshot snapshot{ports, view, node, options};
    gate::GateReport report;
    report.rails.push_back({.link = rail,
                            .device = "",
                            .ip = node.links.at(rail).addresses.front().value.ip,
                            .facts = {}});
    gate::check_peers(snapshot, report);
    gate::check_cabling(snapshot, report);
    return report.rails.front();
  }
  gate::RailFacts look_until_sure(const char* rail = kRail) {
    look(seconds(0), rail);
    look(seconds(10), rail);
    return look(seconds(11), rail);
  }

  static const gate::Fact& cabling(const gate::RailFacts& rail) {
    return *std::ranges::find(rail.facts, gate::kCablingFact.id, &gate::Fact::id);
  }

  std::optional<Namespace> here_;
  std::map<std::string, Namespace> machines_;
  FakeHost fake_;
  host::HelperProbe probe_{fake_.bus()};
  gate::CablingMemory memory_;
};

TEST_F(Cabling, TheRightNodeProvesItsCable) {
  plug(kRail, "spark2", kCage1, "198.51.100.2/28");
  const auto rail = look(seconds(0));
  EXPECT_EQ(rail.cabling, (gate::Cabling{.state = CablingState::kProven, .by = {"spark2", 1}}));
}

TEST_F(Cabling, TwoSwappedPlugsAreTold) {
  plug(kRail, "spark3", kRail, "198.51.100.35/28");
  const auto rail = look_until_sure();
  EXPECT_EQ(cabling(rail).measured,
            "the cable in spark1:0 leads to spark3:0, the file says to spark2:1");
  EXPECT_EQ(cabling(rail).remedy, "swap the plugs in spark1:0 and spark1:1");
}

TEST_F(Cabling, AWrongNodeThatFiltersReversePathsIsFound) {
  plug(kRail, "spark3", kRail, "198.51.100.35/28");
  on("spark3", [] { EXPECT_TRUE(host::LinuxSysctl().write("net.ipv4.conf.all.rp_filter", "1")); });
  EXPECT_EQ(look_until_sure().cabling->state, CablingState::kWrong);
}

TEST_F(Cabling, ASecondCableToOneNodeIsTold) {
  plug(kCage1, "spark2", kRail, "203.0.113.2/28");
  const auto rail = look_until_sure(kCage1);
  EXPECT_EQ(cabling(rail).measured,
            "the cable in spark1:1 leads to spark2:0, the file says to spark3:0");
  EXPECT_EQ(cabling(rail).remedy, "swap the plugs in spark2:0 and spark3:0");
}

TEST_F(Cabling, ALoopIsTold) {
  ip(fmt::format("link add {} type veth peer name {}", kRail, kCage1));
  set_up(kRail);
  set_up(kCage1);
  EXPECT_EQ(cabling(look_until_sure()).measured,
            "the cable in spark1:0 leads to spark1:1, the file says to spark2:1");
}

TEST_F(Cabling, ASwitchWhereACableWasSaidClosesNothing) {
  make_machine("switch");
  ip_on("switch", "link add br0 type bridge");
  ip_on("switch", "link set br0 up");
  const auto port = [&](const std::string& name) {
    ip_on("switch", fmt::format("link set {} master br0", name));
    ip_on("switch", fmt::format("link set {} up", name));
  };
  ip(fmt::format("link add {} type veth peer name p1 netns {}", kRail,
                 machines_.at("switch").path()));
  port("p1");
  set_up(kRail);
  for (const auto& [machine, address] :
       {std::pair{"spark2", "203.0.113.2/28"}, std::pair{"spark3", "198.51.100.35/28"}}) {
    ip_on(machine, fmt::format("link add {} type veth peer name to-{} netns {}", kRail, machine,
                               machines_.at("switch").path()));
    ip_on(machine, fmt::format("address add {} dev {}", address, kRail));
    ip_on(machine, fmt::format("link set {} up", kRail));
    port(fmt::format("to-{}", machine));
  }
  const auto rail = look_until_sure();
  EXPECT_EQ(rail.cabling->state, CablingState::kNotProven);
  EXPECT_THAT(cabling(rail).measured, HasSubstr("several nodes answer"));
  EXPECT_FALSE(cabling(rail).counts);
}

TEST_F(Cabling, AHostThatAnswersForOthersProvesNothing) {
  plug(kRail, "spark3", kRail, "198.51.100.35/28");
  on("spark3", [this] {
    host::LinuxSysctl sysctl;
    EXPECT_TRUE(sysctl.write("net.ipv4.conf.enp1s0f0np0.proxy_arp", "1"));
    EXPECT_TRUE(sysctl.write("net.ipv4.ip_forward", "1"));
    // Else the kernel answers for others up to 0.8 s later.
    EXPECT_TRUE(sysctl.write("net.ipv4.neigh.enp1s0f0np0.proxy_delay", "0"));
    ip("link add away type veth peer name far");
    ip("link set far up");
    ip("link set away up");
    ip("route add 198.51.100.2/32 dev away");
    ip("route add 203.0.113.0/28 dev away");
    ip("route add 198.51.100.1/32 dev enp1s0f0np0");
  });
  const auto rail = look(seconds(0));
  EXPECT_EQ(rail.cabling->state, CablingState::kNotProven);
  EXPECT_THAT(cabling(rail).measured, HasSubstr("several nodes (proxy ARP)"));
  EXPECT_FALSE(cabling(look_until_sure()).counts);
}

TEST_F(Cabling, APeerBeforeItsFirstApplyIsNeverWrong) {
  // Both of its rails hear the question, and both answer for an address of one.
  make_machine("wire");
  ip_on("wire", "link add br0 type bridge");
  ip_on("wire", "link set br0 up");
  const auto join = [&](const std::string& name) {
    ip_on("wire", fmt::format("link set {} master br0", name));
    ip_on("wire", fmt::format("link set {} up", name));
  };
  const auto wire = machines_.at("wire").path();
  ip(fmt::format("link add {} type veth peer name w1 netns {}", kRail, wire));
  set_up(kRail);
  ip_on("spark2", fmt::format("link add {} type veth peer name w2 netns {}", kCage1, wire));
  ip_on("spark2", fmt::format("link add enP2p1s0f1np1 type veth peer name w3 netns {}", wire));
  on("spark2", [] { prepare("0"); });
  ip_on("spark2", fmt::format("address add 198.51.100.2/28 dev {}", kCage1));
  ip_on("spark2", fmt::format("link set {} up", kCage1));
  ip_on("spark2", "link set enP2p1s0f1np1 up");
  for (const auto* name : {"w1", "w2", "w3"}) join(name);
  const auto rail = look_until_sure();
  // The kernel has learned one of the two, which alone is asked: that node is there.
  EXPECT_NE(rail.cabling->state, CablingState::kWrong);
  EXPECT_NE(cabling(rail).verdict, gate::Verdict::kNotReady);
}

TEST_F(Cabling, AnAddressThatAnotherHostHasIsFound) {
  plug(kRail, "spark2", kCage1, "198.51.100.2/28");
  ip_on("spark2", fmt::format("address add 198.51.100.1/28 dev {}", kCage1));
  const auto rail = look_until_sure();
  const auto fact = std::ranges::find(rail.facts, gate::kOneHostFact.id, &gate::Fact::id);
  ASSERT_NE(fact, rail.facts.end());
  EXPECT_EQ(fact->verdict, gate::Verdict::kNotReady);
}

TEST_F(Cabling, AProvenCableIsAskedAboutAgainOnceItsCarrierWasLost) {
  plug(kRail, "spark2", kCage1, "198.51.100.2/28");
  EXPECT_EQ(look(seconds(0)).cabling->state, CablingState::kProven);
  ip_on("spark2", fmt::format("address delete 198.51.100.2/28 dev {}", kCage1));
  EXPECT_EQ(look(seconds(60)).cabling->state, CablingState::kProven);
  ip_on("spark2", fmt::format("link set {} down", kCage1));
  ip_on("spark2", fmt::format("link set {} up", kCage1));
  EXPECT_EQ(look(seconds(120)).cabling->state, CablingState::kNotProven);
}

}  // namespace
}  // namespace spark::test
