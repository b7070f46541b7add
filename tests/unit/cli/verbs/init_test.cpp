// The verb `init` on fake machines.

#include <filesystem>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <linux/if_addr.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "config/parse/parse.hpp"
#include "fake/temporary_folder.hpp"
#include "state/select.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Words = std::vector<std::string>;

/// Errors and warnings.
std::string findings_of(const std::string& text) {
  std::string all;
  for (const auto& diagnostic : config::parse(text).diagnostics) {
    all += config::render(diagnostic, "init", text);
  }
  return all;
}

Words from_host() { return {"init", "--from-host"}; }

class InitTest : public ::testing::Test {
 protected:
  InitTest() {
    test::add_spark(machine_);
    auto identity = *machine_.system().identity();
    hostname_ = identity.hostname;
  }

  void give(const std::string& link, const std::string& address) {
    machine_.netlink().add_foreign(link, {.address = *IpPrefix::parse(address)});
  }

  Printed run(const Words& words) { return run_typed(machine_, words); }

  test::FakeHost machine_;
  std::string hostname_;
};

TEST_F(InitTest, WritesValidFilesOfEveryTopology) {
  for (const auto& words :
       {Words{"init", "--pair"}, Words{"init", "--ring", "3"}, Words{"init", "--switch", "2"},
        Words{"init", "--switch", "254"}, Words{"init", "--pair", "--names", "no,1e3"}}) {
    const auto printed = run(words);
    EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
    EXPECT_EQ(findings_of(printed.out), "") << printed.out;
    EXPECT_THAT(printed.err, HasSubstr("spark-reconcile plan -f cluster.yaml"));
    EXPECT_THAT(printed.out, HasSubstr("\nenvironment: {}"));
  }
}

TEST_F(InitTest, WritesARingOfFourWithTheWarningThatItsFileHas) {
  const auto printed = run({"init", "--ring", "4"});
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_THAT(findings_of(printed.out), HasSubstr("warning: a ring of 4 nodes [SR-SPEC-214]"));
  EXPECT_THAT(findings_of(printed.out), Not(HasSubstr("error")));
}

TEST_F(InitTest, ARingLeadsFromCage0ToCage1OfTheNext) {
  const auto text = run({"init", "--names", "a,b,c,d", "--ring", "4"}).out;
  for (const auto* ends : {"[a:0, b:1]", "[b:0, c:1]", "[c:0, d:1]", "[d:0, a:1]"}) {
    EXPECT_THAT(text, HasSubstr(ends));
  }
}

TEST_F(InitTest, TakesSubnetsThatNothingHereUses) {
  give("enP7s7", "192.168.177.20/23");
  machine_.netlink().add_route(
      {.destination = *IpPrefix::parse("192.168.179.0/24"), .table = 254, .link_index = 2});
  const auto text = run({"init", "--pair"}).out;
  EXPECT_THAT(text, HasSubstr("[192.168.178.0/24, 192.168.180.0/24]"));
}

TEST_F(InitTest, TakesTheCageThatHasACarrierAndTheLan) {
  machine_.netlink().set_cable("enp1s0f0np0", false);
  machine_.netlink().set_cable("enP2p1s0f0np0", false);
  const auto text = run({"init", "--pair"}).out;
  EXPECT_THAT(text, HasSubstr(fmt::format("cage 1 of {} has a carrier", hostname_)));
  EXPECT_THAT(text, HasSubstr(fmt::format("ends: [{}:1, ", hostname_)));
  EXPECT_THAT(text, HasSubstr("management: enP7s7"));
}

TEST_F(InitTest, KnowsNothingOfNodesThatAreOtherMachines) {
  const auto printed = run({"init", "--pair", "--names", "x1,x2"});
  EXPECT_THAT(printed.out, AllOf(HasSubstr("[x1:0, x2:0]"), Not(HasSubstr("management"))));
  EXPECT_THAT(printed.err,
              HasSubstr(hostname_ + "' is this machine's name, and none of the nodes"));
}

TEST_F(InitTest, RefusesNamesThatNoNodeCanHave) {
  for (const auto* names : {"a", "a,b,c", "a,", "a,a", "a,b c", "a,b.yaml"}) {
    const auto printed = run({"init", "--pair", "--names", names});
    EXPECT_EQ(printed.code, ExitCode::kUsage) << names;
    EXPECT_THAT(printed.err, HasSubstr("--names")) << names;
    EXPECT_EQ(printed.out, "") << names;
  }
}

TEST_F(InitTest, MakesANewFileAndReplacesNone) {
  const test::TemporaryFolder folder;
  const auto path = (folder.path() / "cluster.yaml").string();
  const auto printed = run({"init", "--pair", "-o", path});
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_EQ(printed.out, "");
  EXPECT_THAT(printed.err, HasSubstr("spark-reconcile plan -f " + path));
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms{0644});
  const auto size = std::filesystem::file_size(path);
  const auto again = run({"init", "--ring", "3", "-o", path});
  EXPECT_EQ(again.code, ExitCode::kError);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
  EXPECT_EQ(std::filesystem::file_size(path), size);
}

TEST_F(InitTest, FollowsNoLink) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "cluster.yaml";
  std::filesystem::create_symlink(folder.path() / "elsewhere", path);
  EXPECT_EQ(run({"init", "--pair", "-o", path.string()}).code, ExitCode::kError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "elsewhere"));
}

TEST_F(InitTest, PrintsTheTextInJson) {
  const auto printed = run({"init", "--pair", "--json"});
  const auto json = nlohmann::json::parse(printed.out);
  EXPECT_EQ(findings_of(json.at("text").get<std::string>()), "");
  EXPECT_EQ(json.at("out"), nullptr);
  EXPECT_EQ(json.at("digest").get<std::string>().size(), 64U);
  EXPECT_EQ(printed.err, "");
}

TEST_F(InitTest, WritesWhatTheRailsHave) {
  for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0"}) {
    ASSERT_TRUE(machine_.netlink().set_mtu(rail, 9000));
  }
  give("enp1s0f0np0", "192.168.177.11/24");
  give("enP2p1s0f0np0", "192.168.178.11/24");
  const auto text = run(from_host()).out;
  EXPECT_EQ(findings_of(text), "") << text;
  EXPECT_THAT(text, AllOf(HasSubstr("192.168.177.11/24"), HasSubstr("192.168.178.11/24"),
                          HasSubstr("number: 11"), HasSubstr("management: enP7s7")));
  EXPECT_THAT(text,
              HasSubstr(fmt::format("{}:0: [192.168.177.11/24, 192.168.178.11/24]\n", hostname_)));
}

TEST_F(InitTest, WritesTheAddressesOfTheMachineItselfAndRoutesFromThem) {
  for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0"}) {
    ASSERT_TRUE(machine_.netlink().set_mtu(rail, 9000));
  }
  give("enp1s0f0np0", "192.168.177.11/24");
  give("enP2p1s0f0np0", "192.168.178.11/24");
  give("lo", "203.0.113.11/32");
  ASSERT_TRUE(machine_.netlink().add_route("enp1s0f0np0",
                                           {.destination = *IpPrefix::parse("203.0.113.12/32"),
                                            .table = host::kMainTable,
                                            .protocol = 4,
                                            .gateway = IpAddress::parse("192.168.177.12"),
                                            .source = IpAddress::parse("203.0.113.11")}));
  const auto text = run(from_host()).out;
  EXPECT_EQ(findings_of(text), "") << text;
  EXPECT_THAT(text, AllOf(HasSubstr("      lo:"), HasSubstr("- 203.0.113.11/32"),
                          HasSubstr("source: \"203.0.113.11\""), HasSubstr("number: 11"),
                          Not(HasSubstr("65536")), Not(HasSubstr("127.0.0.1"))));
}

TEST_F(InitTest, WritesARouteFromAnAddressOfAnotherRailAlone) {
  for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0"}) {
    ASSERT_TRUE(machine_.netlink().set_mtu(rail, 9000));
  }
  give("enp1s0f0np0", "192.168.177.11/24");
  give("enP2p1s0f0np0", "192.168.178.11/24");
  for (const auto* link : {"lo", "enp1s0f1np1"}) give(link, "203.0.113.11/32");
  const auto add = [&](const char* to, const char* source) {
    ASSERT_TRUE(
        machine_.netlink().add_route("enp1s0f0np0", {.destination = *IpPrefix::parse(to),
                                                     .table = host::kMainTable,
                                                     .protocol = 4,
                                                     .gateway = IpAddress::parse("192.168.177.12"),
                                                     .source = IpAddress::parse(source)}));
  };
  add("10.77.0.0/16", "192.168.178.11");
  add("10.78.0.0/16", "203.0.113.11");
  const auto text = run(from_host()).out;
  EXPECT_EQ(findings_of(text), "") << text;
  EXPECT_THAT(text,
              AllOf(HasSubstr("to: \"10.77.0.0/16\""), Not(HasSubstr("to: \"10.78.0.0/16\""))));
  EXPECT_THAT(text, Not(HasSubstr("owner: host"))) << "the file has 203.0.113.11 on no link";
}

TEST_F(InitTest, NamesTheNetplanFileOfEachValue) {
  give("enp1s0f0np0", "192.168.177.11/24");
  machine_.files().put("/etc/netplan/60-rails.yaml",
                       "network:\n  ethernets:\n    enp1s0f0np0:\n      mtu: 1500\n"
                       "      addresses: [192.168.177.11/24]\n");
  const auto text = run(from_host()).out;
  EXPECT_THAT(text,
              HasSubstr("- 192.168.177.11/24   # from netplan: /etc/netplan/60-rails.yaml:3"));
  EXPECT_THAT(text, HasSubstr("mtu: 1500   # from netplan: /etc/netplan/60-rails.yaml:3"));
}

TEST_F(InitTest, NamesTheClusterAssistantWhereTheFileIsItsOwn) {
  give("enp1s0f0np0", "192.168.177.11/24");
  machine_.files().put("/etc/netplan/40-cx7.yaml",
                       "network:\n  ethernets:\n    enp1s0f0np0:\n"
                       "      addresses: [192.168.177.11/24]\n");
  EXPECT_THAT(run(from_host()).out, HasSubstr("# from netplan (the name of NVIDIA's playbook):\n"
                                              "          # /etc/netplan/40-cx7.yaml:3\n"));
}

TEST_F(InitTest, NamesTheProfileOfNetworkManager) {
  give("enp1s0f0np0", "192.168.177.11/24");
  machine_.files().put("/etc/NetworkManager/system-connections/rail.nmconnection",
                       "[connection]\nuuid=1\ninterface-name=enp1s0f0np0\n[ipv4]\n"
                       "address1=192.168.177.11/24\nmethod=manual\n");
  EXPECT_THAT(run(from_host()).out,
              HasSubstr("from NetworkManager:\n"
                        "          # /etc/NetworkManager/system-connections/rail.nmconnection\n"));
}

TEST_F(InitTest, SaysThatNoFileSetsWhatWasSetByHand) {
  give("enp1s0f0np0", "192.168.177.11/24");
  EXPECT_THAT(run(from_host()).out, HasSubstr("no file was found that sets it"));
}

TEST_F(InitTest, BothRailsInOneSubnetAreComparedOnlyAndExplained) {
  give("enp1s0f0np0", "192.168.177.11/24");
  give("enP2p1s0f0np0", "192.168.177.12/24");
  const auto text = run(from_host()).out;
  EXPECT_EQ(findings_of(text), "") << text;
  EXPECT_THAT(text, AllOf(HasSubstr("SR-SPEC-103"), HasSubstr("owner: host")));
  EXPECT_THAT(text, HasSubstr("`plan` on this file had nothing to do here"));
}

TEST_F(InitTest, AnAddressOnOneRailIsExplained) {
  give("enp1s0f0np0", "192.168.177.11/24");
  EXPECT_THAT(run(from_host()).out, HasSubstr("warning [SR-SPEC-201]: half the cable"));
}

TEST_F(InitTest, AnMtuThatCostsBandwidthIsExplained) {
  give("enp1s0f0np0", "192.168.177.11/24");
  EXPECT_THAT(run(from_host()).out, HasSubstr("warning [SR-SPEC-208]: mtu 1500"));
}

TEST_F(InitTest, LinkLocalAndDhcpAddressesStandInComments) {
  give("enp1s0f0np0", "169.254.3.4/16");
  machine_.netlink().add_foreign("enP2p1s0f0np0", {.address = *IpPrefix::parse("192.168.9.7/24"),
                                                   .valid_seconds = 3600,
                                                   .preferred_seconds = 3600});
  const auto text = run(from_host()).out;
  EXPECT_EQ(findings_of(text), "") << text;
  EXPECT_THAT(text,
              AllOf(HasSubstr("169.254.3.4/16 (from the kernel"), HasSubstr("it is link-local"),
                    HasSubstr("192.168.9.7/24"), HasSubstr("from DHCP or a router")));
  EXPECT_TRUE(config::parse(text).cluster.nodes.at(hostname_).links.empty());
}

TEST_F(InitTest, SaysWhatThePlanIs) {
  give("enp1s0f0np0", "192.168.177.11/24");
  give("enP2p1s0f0np0", "192.168.178.11/24");
  const auto text = run(from_host()).out;
  EXPECT_THAT(text, AllOf(HasSubstr("none disturbs what runs"), HasSubstr("arp_ignore"),
                          Not(HasSubstr("address enp1s0f0np0"))));
}

TEST_F(InitTest, ShowsTheOtherEndThatTheKernelHasHeardFrom) {
  give("enp1s0f0np0", "192.168.177.11/24");
  give("enP2p1s0f0np0", "192.168.178.11/24");
  machine_.files().put(
      "/proc/thread-self/net/arp",
      "IP address       HW type     Flags       HW address            Mask     Device\n"
      "192.168.177.12   0x1         0x2         02:00:5e:10:00:77     *        enp1s0f0np0\n"
      "192.168.177.13   0x1         0x0         00:00:00:00:00:00     *        enp1s0f0np0\n"
      "192.168.178.12   0x1         0x2         02:00:5e:10:00:78     *        enP7s7\n");
  EXPECT_THAT(run(from_host()).out, HasSubstr("OTHER:CAGE: [192.168.177.12/24, ADDRESS]"));
}

TEST_F(InitTest, AnAddressOnTwoLinksIsLeftOnBoth) {
  give("enp1s0f0np0", "192.168.177.11/24");
  give("enP2p1s0f1np1", "192.168.177.11/24");
  const auto text = run(from_host()).out;
  EXPECT_THAT(text, AllOf(HasSubstr("192.168.177.11 is on enP2p1s0f1np1 too"),
                          HasSubstr("had nothing to do here")));
}

TEST_F(InitTest, ANodeOfWhichNothingIsKnownIsValid) {
  test::FakeHost bare;
  bare.netlink().plug({.name = "enp1s0f0np0", .mtu = 1500});
  const auto printed = run_typed(bare, from_host());
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("spark1: {}"));
}

TEST_F(InitTest, SaysThatThereIsNoRail) {
  test::FakeHost bare;
  const auto printed = run_typed(bare, from_host());
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_THAT(printed.err, HasSubstr("no rail of a ConnectX-7 is here"));
}

TEST_F(InitTest, ChangesNothing) {
  give("enp1s0f0np0", "192.168.177.11/24");
  static_cast<void>(run(from_host()));
  EXPECT_EQ(machine_.writes(), 0U);
}

/// The steps of the plan, as the file announces them, that would change links, MTUs or addresses,
/// or disturb something.
std::vector<std::string> steps_of_network(const std::string& text) {
  std::vector<std::string> steps;
  for (const auto line : lines_of(text)) {
    const bool is_of_network = line.starts_with("#   address ") || line.starts_with("#   mtu ") ||
                               line.starts_with("#   link ");
    if (line.starts_with("#   * ") || (is_of_network && line.contains(" → "))) {
      steps.emplace_back(line);
    }
  }
  return steps;
}

// What init writes is valid, whatever the machine has; and the plan of it touches neither address
// nor MTU nor link.
TEST(InitOfAnyMachine, IsValidAndLeavesWhatRuns) {
  constexpr int kMachines = 300;
  const std::vector<std::string> pool = {
      "192.168.177.11/24", "192.168.177.12/24", "192.168.177.13/25", "192.168.178.11/24",
      "10.0.0.1/8",        "10.1.0.1/16",       "10.1.2.3/32",       "169.254.7.7/16",
      "192.0.2.11/24",     "2001:db8::1/64",    "2001:db8::2/64",    "2001:db8::3/128",
      "198.51.100.0/31",   "198.51.100.1/31",   "203.0.113.255/24",  "0.0.0.7/8"};
  for (int seed = 0; seed < kMachines; ++seed) {
    std::mt19937 dice(static_cast<unsigned>(seed));
    const auto roll = [&](std::size_t sides) {
      return std::uniform_int_distribution<std::size_t>(0, sides - 1)(dice);
    };
    test::FakeHost machine;
    test::add_spark(machine);
    for (const auto& rail : test::dgx_rail_names()) {
      std::set<IpAddress> given;
      for (auto left = roll(4); left > 0; --left) {
        const auto address = *IpPrefix::parse(pool[roll(pool.size())]);
        if (given.insert(address.ip).second) {
          machine.netlink().add_foreign(rail, {.address = address});
        }
      }
      auto host = machine.host();
      constexpr std::array<std::uint32_t, 4> kMtus{1500, 9000, 1280, 1000};
      static_cast<void>(host.netlink.set_mtu(rail, kMtus.at(roll(kMtus.size()))));
      if (roll(5) == 0) static_cast<void>(host.netlink.set_up(rail, false));
    }
    machine.forget_writes();
    const auto printed = run_typed(machine, from_host());
    ASSERT_EQ(printed.code, ExitCode::kDone) << seed << ": " << printed.err;
    EXPECT_FALSE(config::has_errors(config::parse(printed.out).diagnostics)) << printed.out;
    EXPECT_THAT(steps_of_network(printed.out), IsEmpty()) << seed << "\n" << printed.out;
  }
}

}  // namespace
}  // namespace spark::cli
