#include "kinds/other_managers/other_managers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "kinds/network/address_origin.hpp"
#include "plan/plan.hpp"
#include "plan/release.hpp"

namespace spark::kinds {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kNetplan = "/etc/netplan/40-cx7.yaml";
constexpr const char* kClaim =
    "network:\n  version: 2\n  ethernets:\n    enp1s0f0np0: { link-local: [ipv4] }\n";
constexpr const char* kNmFile = "/etc/NetworkManager/conf.d/90-spark-reconcile.conf";
constexpr const char* kNetworkdFile = "/etc/systemd/network/00-spark-reconcile.network";
/// As the fake bus has it.
constexpr const char* kReadsProfiles = "reload NetworkManager's profiles";

/// A Spark as it comes, with NetworkManager on every port.
class OtherManagersTest : public test::PassTest {
 protected:
  OtherManagersTest() { test::add_network_managers(host_); }

  std::vector<std::string> manager_steps() {
    std::vector<std::string> names;
    for (const auto& step : plan().steps) {
      if (step.kind == OtherManagers::kName) {
        names.push_back(step.name());
      }
    }
    return names;
  }

  std::string text_of(const std::string& path) {
    return host_.files().read(path).value().value_or("");
  }
};

TEST_F(OtherManagersTest, TheManagerLetsGoBeforeItsFileSaysSo) {
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_FALSE(host_.bus().nm_device("enp1s0f0np0")->managed);
  EXPECT_TRUE(host_.bus().nm_device("enP7s7")->managed);
  EXPECT_TRUE(host_.bus().nm_device("enp1s0f1np1")->managed) << "no cable names its cage";
  const auto written = host_.written();
  const auto let_go = std::ranges::find(written, "set Managed of 'enP2p1s0f0np0'");
  const auto file = std::ranges::find(written, std::string("write '") + kNmFile + "'");
  ASSERT_NE(file, written.end());
  EXPECT_LT(let_go, file);
  EXPECT_THAT(
      text_of(kNmFile),
      HasSubstr("\nunmanaged-devices+=interface-name:enP2p1s0f0np0;interface-name:enp1s0f0np0\n"));
  EXPECT_THAT(text_of(kNetworkdFile), HasSubstr("\nName=enP2p1s0f0np0 enp1s0f0np0\n"));
}

TEST_F(OtherManagersTest, AManagerThatTookTheLinkBackIsSentAwayAgain) {
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(manager_steps(), IsEmpty());
  auto ports = host_.host();
  ASSERT_TRUE(ports.bus.nm_set_managed("enp1s0f0np0", true));
  EXPECT_THAT(manager_steps(), ElementsAre("other_managers enp1s0f0np0"));
}

// Seen with systemd 252: it removes what it had set as it lets go of the link.
TEST_F(OtherManagersTest, WhatNetworkdSetGoesForAMomentIsSaidAndSetAgain) {
  host_.files().erase("/etc/NetworkManager/NetworkManager.conf");
  auto ports = host_.host();
  const auto index = host::View(ports).link("enp1s0f0np0")->index;
  constexpr const char* kNetwork = "/run/systemd/network/10-netplan-cx7.network";
  host_.files().put("/sys/fs/cgroup/system.slice/systemd-networkd.service/cgroup.procs", "226\n");
  host_.files().put(fmt::format("/run/systemd/netif/links/{}", index),
                    fmt::format("ADMIN_STATE=configured\nNETWORK_FILE={0}\n"
                                "NETWORK_FILE_DROPINS=\"{0}.d/a.conf:{0}.d/b.conf\"\n",
                                kNetwork));
  host_.files().put(kNetwork, "[Match]\nName=enp1s0f0np0\n[Network]\nAddress=192.0.2.7/24\n");
  host_.files().put(fmt::format("{}.d/b.conf", kNetwork), "[Network]\nAddress=10.9.9.9/24\n");
  for (const auto* address : {"192.0.2.7/24", "192.0.2.8/24", "10.9.9.9/24"}) {
    host_.netlink().add_foreign("enp1s0f0np0", {.address = *IpPrefix::parse(address)});
  }
  const auto plan = this->plan();
  const auto step = std::ranges::find(plan.steps, "other_managers enp1s0f0np0", &plan::Step::name);
  ASSERT_NE(step, plan.steps.end());
  EXPECT_EQ(step->effect.disturbs, Effect::Disturbs::kAddress);
  EXPECT_THAT(step->effect.ips,
              ElementsAre(*IpAddress::parse("192.0.2.7"), *IpAddress::parse("192.0.2.8"),
                          *IpAddress::parse("10.9.9.9")));

  const auto addresses = [&] {
    return host::View(ports).addresses_on(*host::View(ports).link("enp1s0f0np0"));
  };
  const auto before = addresses();
  host_.bus().on_networkd_reload([&] {
    if (!text_of(kNetworkdFile).contains("enp1s0f0np0")) return;
    host_.files().put(fmt::format("/run/systemd/netif/links/{}", index), "ADMIN_STATE=unmanaged\n");
    for (const auto* address : {"192.0.2.8/24", "192.0.2.7/24", "10.9.9.9/24"}) {
      host_.netlink().remove_foreign("enp1s0f0np0", *IpPrefix::parse(address));
    }
  });
  const auto report = apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  EXPECT_THAT(report.left->steps, IsEmpty());
  EXPECT_THAT(addresses(), testing::IsSupersetOf(before));
}

TEST_F(OtherManagersTest, WhereNobodyManagesLinksThereIsNothingToDo) {
  host_.files().erase("/etc/NetworkManager/NetworkManager.conf");
  host_.files().erase("/usr/lib/systemd/network/80-container-host0.network");
  EXPECT_THAT(manager_steps(), IsEmpty());
}

TEST_F(OtherManagersTest, ALineThatComesAfterOursAndForgetsItIsNamed) {
  host_.files().put("/etc/NetworkManager/conf.d/99-mine.conf",
                    "[keyfile]\nunmanaged-devices=interface-name:wlan0\n");
  EXPECT_THAT(
      plan().skipped,
      Contains(Field(
          &plan::SkippedResource::skipped,
          AllOf(Field(&Skipped::id, "SR-MANAGER-001"),
                Field(&Skipped::reason, HasSubstr("/etc/NetworkManager/conf.d/99-mine.conf:2"))))));
}

TEST_F(OtherManagersTest, ADeviceThatIsNamedLikeAPatternTakesNoOtherLinkFromItsManager) {
  test::FakeHost host;
  test::add_spark(host, {"en*", "enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1"});
  test::add_network_managers(host);
  auto ports = host.host();
  const auto plan = test::plan_on(ports, test::node_on(host, text_));
  EXPECT_THAT(plan.skipped, Contains(Field(&plan::SkippedResource::skipped,
                                           Field(&Skipped::id, "SR-MANAGER-002"))));
  for (const auto& step : plan.steps) {
    if (step.kind == OtherManagers::kName) {
      EXPECT_THAT(step.name(), Not(HasSubstr("en*")));
    }
  }
}

TEST_F(OtherManagersTest, WhatAnOlderVersionWroteOfAPatternIsTakenAway) {
  host_.files().put(kNmFile,
                    "[keyfile]\nunmanaged-devices+=interface-name:a;b;interface-name:en*\n");
  host_.files().put(kNetworkdFile, "[Match]\nName=a;b en*\n\n[Link]\nUnmanaged=yes\n");
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(
      text_of(kNmFile),
      HasSubstr("\nunmanaged-devices+=interface-name:enP2p1s0f0np0;interface-name:enp1s0f0np0\n"));
  EXPECT_THAT(text_of(kNetworkdFile), HasSubstr("\nName=enP2p1s0f0np0 enp1s0f0np0\n"));
}

TEST_F(OtherManagersTest, ALinkThatThisMachineLivesOnIsNotKeptOff) {
  host_.system().add_ssh_session(*IpAddress::parse("203.0.113.77"));
  host_.netlink().add_foreign("enp1s0f0np0", {.address = *IpPrefix::parse("203.0.113.77/32")});
  EXPECT_THAT(
      plan().refusals,
      Contains(Field(&Refusal::what, HasSubstr("changing other_managers enp1s0f0np0 would cut"))));
}

TEST_F(OtherManagersTest, AFileThatClaimsARailIsShownWithItsLineAndStays) {
  host_.files().put(kNetplan, kClaim);
  EXPECT_THAT(plan().left_unchanged,
              Contains(AllOf(Field(&LeftUnchanged::what, "/etc/netplan/40-cx7.yaml:4"),
                             Field(&LeftUnchanged::reason,
                                   AllOf(HasSubstr("`netplan apply` would still drop RDMA there"),
                                         HasSubstr("`take_over: true` moves it aside"))))));
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_EQ(text_of(kNetplan), kClaim);
}

TEST_F(OtherManagersTest, AProfileThatClaimsARailIsShownWithItsLine) {
  host_.files().put("/etc/NetworkManager/system-connections/fabric.nmconnection",
                    "[connection]\nid=fabric\ninterface-name=enP2p1s0f0np0\n");
  EXPECT_THAT(plan().left_unchanged,
              Contains(Field(&LeftUnchanged::what,
                             "/etc/NetworkManager/system-connections/fabric.nmconnection:3")));
}

TEST_F(OtherManagersTest, FactsHoldNoPasswordOfTheseFiles) {
  host_.files().put(
      "/etc/NetworkManager/system-connections/wlan.nmconnection",
      "[connection]\nid=wlan\ninterface-name=wlan0\npsk=swordfish\n[wifi-security]\npsk=swordfish\n"
      "[peer.swordfish]\nkey=swordfish\n");
  host_.files().put(kNetplan,
                    std::string(kClaim) +
                        "  wifis: { wlan0: { access-points: { a: { password: swordfish } } } }\n");
  host::View view(ports_);
  const auto made = test::plan_in(view, node());
  EXPECT_THAT(made.left_unchanged, SizeIs(1)) << "the files were looked at";
  EXPECT_THAT(view.to_json(),
              AllOf(HasSubstr("interface-name=wlan0"), Not(HasSubstr("swordfish"))));
}

TEST_F(OtherManagersTest, FactsHoldNoPasswordOfAFileThatIsRenamed) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan, std::string(kClaim) + "# swordfish\n");
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  host::View view(ports_);
  static_cast<void>(test::plan_in(view, node()));
  EXPECT_THAT(view.to_json(),
              AllOf(HasSubstr("40-cx7.yaml.spark-reconcile~"), Not(HasSubstr("swordfish"))));
}

TEST_F(OtherManagersTest, WhatCannotBeReadMayClaimARail) {
  host_.files().put(kNetplan, kClaim);
  host_.make_unreadable(kNetplan);
  EXPECT_THAT(plan().left_unchanged,
              Contains(Field(&LeftUnchanged::reason, HasSubstr("is unknown"))));
}

TEST_F(OtherManagersTest, TakenOverItIsRenamedAndReleaseRestoresIt) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan, kClaim);
  ASSERT_THAT(manager_steps(), Contains(std::string("other_managers ") + kNetplan));
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_EQ(text_of(kNetplan), "");
  EXPECT_EQ(text_of(std::string(kNetplan) + ".spark-reconcile~"), kClaim);
  EXPECT_THAT(plan().steps, IsEmpty());

  ASSERT_EQ(test::release_on(ports_, node()).exit_code(), ExitCode::kDone);
  EXPECT_EQ(text_of(kNetplan), kClaim);
  EXPECT_EQ(text_of(std::string(kNetplan) + ".spark-reconcile~"), "");
}

/// NetworkManager looks for profiles as it starts: after a boot it knows none of those that are
/// aside, and would make one of its own for a link that it gets before.
TEST_F(OtherManagersTest, NetworkManagerKnowsTheRestoredProfilesBeforeItGetsTheirLinks) {
  text_ += "take_over: true\n";
  const std::string profile = "/etc/NetworkManager/system-connections/rail.nmconnection";
  host_.files().put(profile, "[connection]\ntype=ethernet\ninterface-name=enP2p1s0f0np0\n");
  host_.files().put(kNetplan, kClaim);
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(host_.written(), Not(Contains(kReadsProfiles)));
  host_.forget_writes();
  ASSERT_EQ(test::release_on(ports_, node()).exit_code(), ExitCode::kDone);
  const auto written = host_.written();
  const auto place_of = [&](const std::string& what) {
    return std::ranges::find(written, what) - written.begin();
  };
  for (const std::string& path : {profile, std::string(kNetplan)}) {
    EXPECT_LT(place_of(fmt::format("rename '{0}.spark-reconcile~' to '{0}'", path)),
              place_of("set Managed of 'enP2p1s0f0np0'"));
  }
  EXPECT_EQ(std::ranges::count(written, kReadsProfiles), 2);
  const auto generated = place_of("netplan generate");
  EXPECT_EQ(written.at(static_cast<std::size_t>(generated + 1)), kReadsProfiles);
  EXPECT_LT(generated, place_of("set Managed of 'enp1s0f0np0'"));
  EXPECT_LT(generated, place_of("set Managed of 'enP2p1s0f0np0'"));
}

TEST_F(OtherManagersTest, ARollbackOfATakeOverHasNetworkManagerReadProfiles) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan, kClaim);
  const auto made = plan();
  const auto step =
      std::ranges::find(made.steps, std::string("other_managers ") + kNetplan, &plan::Step::name);
  ASSERT_NE(step, made.steps.end());
  ASSERT_TRUE(is_done(step->apply(ports_)));
  EXPECT_THAT(host_.written(), Not(Contains(kReadsProfiles)));
  ASSERT_TRUE(is_done(step->roll_back(ports_)));
  EXPECT_EQ(text_of(kNetplan), kClaim);
  EXPECT_EQ(host_.written().back(), kReadsProfiles);
}

TEST_F(OtherManagersTest, ANetworkManagerThatDoesNotRunIsNotAskedToReadProfiles) {
  text_ += "take_over: true\n";
  host_.files().erase("/sys/fs/cgroup/system.slice/NetworkManager.service/cgroup.procs");
  host_.files().put(kNetplan, kClaim);
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  ASSERT_EQ(test::release_on(ports_, node()).exit_code(), ExitCode::kDone);
  EXPECT_EQ(text_of(kNetplan), kClaim);
  EXPECT_THAT(host_.written(), Not(Contains(kReadsProfiles)));
}

TEST_F(OtherManagersTest, AFileThatSetsUpOtherLinksTooIsNotMoved) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan, std::string(kClaim) + "    enP7s7: { dhcp4: true }\n");
  EXPECT_THAT(manager_steps(), Not(Contains(std::string("other_managers ") + kNetplan)));
  EXPECT_THAT(plan().left_unchanged,
              Contains(Field(&LeftUnchanged::reason, HasSubstr("also sets up enP7s7"))));
}

TEST_F(OtherManagersTest, TheWiFiBesideTheRailsKeepsItsFile) {
  text_ += "take_over: true\n";
  for (const std::string section :
       {"wifis: { wlP9s9: { access-points: { home: { password: swordfish } } } }",
        "tunnels: { wg0: { mode: wireguard, port: 51820 } }",
        "vlans: { rail.40: { id: 40, link: enp1s0f0np0 } }",
        "bridges: { br0: { addresses: [198.51.100.1/24] } }", "vrfs: {}", "no-such-section: 1"}) {
    host_.files().put(kNetplan, kClaim + ("  " + section + "\n"));
    EXPECT_THAT(manager_steps(), Not(Contains(std::string("other_managers ") + kNetplan)));
    const auto name = section.substr(0, section.find(':'));
    EXPECT_THAT(plan().left_unchanged,
                Contains(Field(&LeftUnchanged::reason,
                               AllOf(HasSubstr("it stays where it is, since it also sets up "),
                                     HasSubstr("`" + name + "` (line 5): split it")))));
  }
}

TEST_F(OtherManagersTest, ARouteOfARailKeepsItsFile) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan,
                    "network:\n  ethernets:\n    enp1s0f0np0:\n      addresses: [192.0.2.11/24]\n"
                    "      routes: [{ to: 198.51.100.0/24, via: 192.0.2.12 }]\n");
  EXPECT_THAT(plan().left_unchanged,
              Contains(Field(&LeftUnchanged::reason,
                             HasSubstr("also sets up `routes` of enp1s0f0np0 (line 5)"))));
  EXPECT_THAT(manager_steps(), Not(Contains(std::string("other_managers ") + kNetplan)));
}

TEST_F(OtherManagersTest, APatternThatTheLanMatchesTooKeepsItsFile) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan,
                    "network: { ethernets: { all: { match: { name: \"en*\" }, dhcp4: true } } }\n");
  EXPECT_THAT(plan().left_unchanged,
              Contains(Field(&LeftUnchanged::reason, HasSubstr("it stays where it is"))));
  EXPECT_THAT(manager_steps(), Not(Contains(std::string("other_managers ") + kNetplan)));
}

TEST_F(OtherManagersTest, TheFileOfTheRailWithTheDefaultRouteStays) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan, kClaim);
  host::View now(ports_);
  host_.netlink().add_route({.destination = *IpPrefix::parse("0.0.0.0/0"),
                             .table = 254,
                             .link_index = now.link("enp1s0f0np0")->index,
                             .gateway = IpAddress::parse("192.0.2.1")});
  EXPECT_THAT(plan().left_unchanged,
              Contains(Field(&LeftUnchanged::reason,
                             HasSubstr("since this machine is reached through 'enp1s0f0np0': the "
                                       "default route leaves by it"))));
  EXPECT_THAT(manager_steps(), Not(Contains(std::string("other_managers ") + kNetplan)));
}

TEST_F(OtherManagersTest, TheRendererThatOtherFilesGoByKeepsItsFile) {
  text_ += "take_over: true\n";
  const std::string renderer = "  renderer: NetworkManager\n";
  host_.files().put(kNetplan, kClaim + renderer);
  EXPECT_THAT(plan().left_unchanged,
              Contains(Field(&LeftUnchanged::reason, HasSubstr("`renderer`, which counts"))));
  host_.files().put("/etc/netplan/01-network-manager-all.yaml", "network:\n" + renderer);
  EXPECT_THAT(manager_steps(), Contains(std::string("other_managers ") + kNetplan));
}

/// netplan_parser_load_yaml_hierarchy of netplan's util.c.
TEST_F(OtherManagersTest, ANetplanFileOfRunHidesItsNamesakeOfEtcAndThatOneThoseOfPackages) {
  text_ += "take_over: true\n";
  const std::string name = "/netplan/40-cx7.yaml";
  for (const std::string folder : {"/usr/lib", "/etc", "/run"}) {
    host_.files().put(folder + name, kClaim);
    std::vector<std::string> files;
    for (auto& step : manager_steps()) {
      if (step.contains('/')) files.push_back(std::move(step));
    }
    EXPECT_THAT(files, ElementsAre("other_managers " + folder + name));
  }
}

/// Of all folders, netplan reads the last name last.
TEST_F(OtherManagersTest, TheRendererOfTheLastNameCountsWhereverItIs) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan, std::string(kClaim) + "  renderer: NetworkManager\n");
  host_.files().put("/run/netplan/01-first.yaml", "network: { renderer: networkd }\n");
  EXPECT_THAT(plan().left_unchanged,
              Contains(Field(&LeftUnchanged::reason, HasSubstr("`renderer`, which counts"))));
  host_.files().put("/usr/lib/netplan/90-last.yaml", "network: { renderer: NetworkManager }\n");
  EXPECT_THAT(manager_steps(), Contains(std::string("other_managers ") + kNetplan));
}

/// Ubuntu's package keeps Ethernet from NetworkManager; netplan hides that file as long as the
/// whole or any device is NetworkManager's (main of generate.c).
TEST_F(OtherManagersTest, TheLanStaysWithNetworkManagerWhereOnlyRailsNameIt) {
  text_ += "take_over: true\n";
  const auto rail = [](const std::string& link) {
    return "network:\n  ethernets:\n    " + link + ":\n      renderer: NetworkManager\n";
  };
  const std::string first = "/etc/netplan/90-NM-1.yaml";
  const std::string last = "/etc/netplan/90-NM-2.yaml";
  const auto is_moved = [&](const std::string& path) {
    const auto steps = manager_steps();
    return std::ranges::find(steps, "other_managers " + path) != steps.end();
  };
  host_.files().put(first, rail("enp1s0f0np0"));
  host_.files().put(last, rail("enP2p1s0f0np0"));
  EXPECT_TRUE(is_moved(first));
  EXPECT_FALSE(is_moved(last));
  EXPECT_THAT(
      plan().left_unchanged,
      Contains(AllOf(
          Field(&LeftUnchanged::what, last + ":3"),
          Field(&LeftUnchanged::reason,
                HasSubstr("the last `renderer: NetworkManager`, without which NetworkManager may "
                          "have no Ethernet at all (line 4): split it")))));
  for (const std::string other :
       {"renderer: NetworkManager", "wifis: { wlP9s9: { renderer: NetworkManager } }",
        "ethernets: { renderer: NetworkManager, enP7s7: { dhcp4: true } }"}) {
    host_.files().put("/etc/netplan/01-other.yaml", "network: { " + other + " }\n");
    EXPECT_TRUE(is_moved(first)) << other;
    EXPECT_TRUE(is_moved(last)) << other;
  }
  host_.files().put("/etc/netplan/01-other.yaml", "network: { ethernets: { enP7s7: {} } }\n");
  EXPECT_FALSE(is_moved(last)) << "networkd's";
  host_.files().put("/run/netplan/02-run.yaml", "network: { renderer: NetworkManager }\n");
  EXPECT_FALSE(is_moved(last)) << "that one is gone at the next boot";
}

/// Of a key, a profile and the netplan file that holds it say the same.
TEST_F(OtherManagersTest, AKeyMeansTheSameInAProfileAndPassedThroughByNetplan) {
  text_ += "take_over: true\n";
  const std::string profile = "/etc/NetworkManager/system-connections/rail.nmconnection";
  host_.files().put("/etc/netplan/01-network-manager-all.yaml",
                    "network: { renderer: NetworkManager }\n");
  const auto are_moved = [&](const std::string& key, const std::string& value) {
    const auto dot = key.find('.');
    host_.files().put(profile, fmt::format("[connection]\ntype=ethernet\ninterface-name="
                                           "enp1s0f0np0\n[{}]\n{}={}\n",
                                           key.substr(0, dot), key.substr(dot + 1), value));
    host_.files().put(kNetplan,
                      fmt::format("network:\n  ethernets:\n    enp1s0f0np0:\n      networkmanager: "
                                  "{{ passthrough: {{ {}: \"{}\" }} }}\n",
                                  key, value));
    const auto steps = manager_steps();
    const auto has = [&](const std::string& path) {
      return std::ranges::find(steps, "other_managers " + path) != steps.end();
    };
    return std::pair(has(profile), has(kNetplan));
  };
  using Key = std::pair<std::string, std::string>;
  for (const auto& [key, value] :
       {Key{"ipv6.ip6-privacy", "-1"}, Key{"ipv4.never-default", "true"},
        Key{"ipv4.ignore-auto-dns", "true"}, Key{"ipv6.ignore-auto-routes", "true"},
        Key{"ipv4.method", "disabled"}, Key{"ipv4.address1", "192.0.2.11/24"},
        Key{"ethernet.wake-on-lan", "64"}, Key{"ipv4.dns-search", ""},
        Key{"connection.permissions", "user:a:;"}}) {
    EXPECT_EQ(are_moved(key, value), std::pair(true, true)) << key;
  }
  for (const auto& [key, value] :
       {Key{"ipv4.method", "shared"}, Key{"ipv4.address1", "192.0.2.11/24,192.0.2.1"},
        Key{"ipv4.route1", "198.51.100.0/24"}, Key{"ipv4.dns", "192.0.2.1;"},
        Key{"connection.zone", "public"}, Key{"connection.autoconnect-slaves", "1"},
        Key{"user.a", "b"}, Key{"proxy.method", "1"}}) {
    EXPECT_EQ(are_moved(key, value), std::pair(false, false)) << key;
  }
}

TEST_F(OtherManagersTest, AVlanProfileOnARailStays) {
  text_ += "take_over: true\n";
  const std::string profile = "/etc/NetworkManager/system-connections/rail.nmconnection";
  const std::string rest = "id=rail\ninterface-name=enp1s0f0np0\n";
  host_.files().put(profile, "[connection]\ntype=vlan\n" + rest);
  EXPECT_THAT(manager_steps(), Not(Contains("other_managers " + profile)));
  host_.files().put(profile, "[connection]\ntype=ethernet\n" + rest);
  EXPECT_THAT(manager_steps(), Contains("other_managers " + profile));
}

/// Keys of nm-settings-keyfile(5), and a section and a key that it does not know.
TEST_F(OtherManagersTest, AProfileThatHoldsMoreThanADeviceStaysAndNamesWhat) {
  text_ += "take_over: true\n";
  const std::string profile = "/etc/NetworkManager/system-connections/rail.nmconnection";
  const std::string plain =
      "# a comment\n[connection]\nid=rail\ntype = ethernet\n interface-name = enp1s0f0np0\n"
      "autoconnect=false\n[ethernet]\nmtu=9000\nmac-address-blacklist=\n[proxy]\n"
      "[ipv6]\nmethod=ignore\n[ipv4]\nmethod=manual\naddress1=192.0.2.11/24\nnever-default=true\n";
  host_.files().put(profile, plain);
  EXPECT_THAT(manager_steps(), Contains("other_managers " + profile));
  const auto stays = [&](const std::string& text, const std::string& what) {
    host_.files().put(profile, text);
    EXPECT_THAT(plan().left_unchanged, Contains(Field(&LeftUnchanged::reason, HasSubstr(what))))
        << text;
    EXPECT_THAT(manager_steps(), Not(Contains("other_managers " + profile))) << text;
  };
  for (const std::string key : {"route1", "routes", "routing-rule1", "gateway", "dns", "dns-search",
                                "route-metric", "route-table", "dhcp-timeout", "no-such-key"}) {
    stays(plain + key + " = swordfish\n", "`" + key + "` (line 17)");
  }
  for (const std::string key :
       {"controller", "master", "port-type", "slave-type", "zone", "secondaries"}) {
    stays("[connection]\n" + key + "=x\n" + plain, "`" + key + "` (line 2)");
  }
  for (const std::string section :
       {"802-1x", "match", "link", "sriov", "dcb", "tc", "user", "no-such"}) {
    stays(plain + "[" + section + "]\nx=swordfish\n", "`[" + section + "]` (line 17)");
  }
  stays(plain + "[peer.SWORDFISH]\n", "another section (line 17)");
  stays(plain + "KEY_1=2\n", "a key (line 17)");
  stays(plain + "address2=192.0.2.12/24,192.0.2.1\n", "the gateway of `address2` (line 17)");
  for (const std::string old :
       {"addresses1=192.0.2.12;24;192.0.2.1;", "address2=192.0.2.12/24;192.0.2.1"}) {
    stays(plain + old + "\n", " (line 17)");
  }
  stays("[ipv4]\nmethod=shared\n" + plain, "`method=shared` (line 2)");
  stays("[connection]\ntype=ethernet\n[match]\ninterface-name=!lo;|enp1s0f0np*;\n",
        "`[match]` (line 3)");
  stays("[connection]\ntype=vlan\ninterface-name=vlan7\n[vlan]\nparent=enp1s0f0np0\nid=7\n",
        "something else than an Ethernet device");
}

TEST_F(OtherManagersTest, AFileThatAnAnsibleRunWritesAgainIsMovedAgainAndReleaseRestoresTheFirst) {
  text_ += "take_over: true\n";
  const auto first = std::string(kClaim) + "# as it was first\n";
  host_.files().put(kNetplan, first);
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  for (const std::string later : {"# the second\n", "# the third\n"}) {
    host_.files().put(kNetplan, kClaim + later);
    ASSERT_THAT(manager_steps(), Contains(std::string("other_managers ") + kNetplan));
    const auto report = apply();
    ASSERT_EQ(report.exit_code(), ExitCode::kDone) << (report.failure ? report.failure->what : "");
    EXPECT_EQ(text_of(kNetplan), "");
    EXPECT_EQ(text_of(std::string(kNetplan) + ".spark-reconcile~"), first);
    EXPECT_EQ(text_of(std::string(kNetplan) + ".spark-reconcile-later~"), kClaim + later);
    EXPECT_THAT(plan().steps, IsEmpty());
  }
  ASSERT_EQ(test::release_on(ports_, node()).exit_code(), ExitCode::kDone);
  EXPECT_EQ(text_of(kNetplan), first);
}

TEST_F(OtherManagersTest, AReleaseRestoresTheFirstFileWhereALaterOneStands) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan, kClaim);
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  const auto later = std::string(kClaim) + "# later\n";
  host_.files().put(kNetplan, later);
  const auto report = test::release_on(ports_, node());
  ASSERT_EQ(report.exit_code(), ExitCode::kDone) << (report.failure ? report.failure->what : "");
  EXPECT_EQ(text_of(kNetplan), kClaim);
  EXPECT_EQ(text_of(std::string(kNetplan) + ".spark-reconcile-later~"), later);
}

TEST_F(OtherManagersTest, AFileThatIsMovedAgainComesBackWithARollback) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan, kClaim);
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  const auto later = std::string(kClaim) + "# later\n";
  host_.files().put(kNetplan, later);
  const auto made = plan();
  ASSERT_THAT(made.steps, SizeIs(1));
  ASSERT_TRUE(is_done(made.steps[0].apply(ports_)));
  ASSERT_EQ(text_of(kNetplan), "");
  ASSERT_TRUE(is_done(made.steps[0].roll_back(ports_)));
  EXPECT_EQ(text_of(kNetplan), later);
  EXPECT_EQ(text_of(std::string(kNetplan) + ".spark-reconcile~"), kClaim);

  const auto release = test::plan_on(ports_, plan::released(node(), ledger()));
  const auto step = std::ranges::find(release.steps, std::string("other_managers ") + kNetplan,
                                      &plan::Step::name);
  ASSERT_NE(step, release.steps.end());
  ASSERT_TRUE(is_done(step->apply(ports_)));
  ASSERT_EQ(text_of(kNetplan), kClaim);
  ASSERT_TRUE(is_done(step->roll_back(ports_)));
  EXPECT_EQ(text_of(kNetplan), later);
  EXPECT_EQ(text_of(std::string(kNetplan) + ".spark-reconcile~"), kClaim);
}

TEST_F(OtherManagersTest, AFileThatCannotBeMovedRollsBackNoAddressAndNoMtu) {
  text_ += "take_over: true\n";
  host_.files().put(kNetplan, kClaim);
  host_.refuse_if(fmt::format("rename '{0}' to '{0}.spark-reconcile~'", kNetplan));
  const auto report = apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied)
      << (report.failure ? report.failure->what : "");
  EXPECT_EQ(text_of(kNetplan), kClaim);
  EXPECT_THAT(plan().steps, SizeIs(1)) << "only the file";
}

TEST_F(OtherManagersTest, ReleaseRestoresEverythingAndTheRailsLast) {
  const auto mtu_before = host_.netlink().links()->at(2).mtu;
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  const auto plan = test::plan_on(ports_, plan::released(node(), ledger()));
  ASSERT_FALSE(plan.steps.empty());
  EXPECT_EQ(plan.steps.back().kind, OtherManagers::kName);
  ASSERT_EQ(test::release_on(ports_, node()).exit_code(), ExitCode::kDone);
  EXPECT_TRUE(host_.bus().nm_device("enp1s0f0np0")->managed);
  EXPECT_EQ(text_of(kNmFile), "");
  EXPECT_EQ(text_of(kNetworkdFile), "");
  EXPECT_EQ(text_of("/etc/hosts"), "");
  EXPECT_EQ(host_.netlink().links()->at(2).mtu, mtu_before);
  EXPECT_THAT(test::plan_on(ports_, plan::released(node(), {})).steps, IsEmpty());
}

TEST_F(OtherManagersTest, ARailWhoseCableIsPulledIsHandedBackAsWell) {
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  for (const auto* link : {"enp1s0f0np0", "enP2p1s0f0np0"}) host_.netlink().set_cable(link, false);
  const auto report = test::release_on(ports_, node());
  EXPECT_EQ(report.exit_code(), ExitCode::kDone) << (report.failure ? report.failure->what : "");
  EXPECT_TRUE(host_.bus().nm_device("enp1s0f0np0")->managed);
  EXPECT_EQ(text_of(kNmFile), "");
}

TEST_F(OtherManagersTest, WhatTheNextOwnerDoesRollsBackNoRelease) {
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  host_.bus().on_nm_managed([this](const test::NmDevice& device) {
    if (device.managed && device.link == "enp1s0f0np0") {
      host_.netlink().add_foreign(device.link, {.address = *IpPrefix::parse("198.51.100.11/24")});
    }
  });
  const auto report = test::release_on(ports_, node());
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied)
      << (report.failure ? report.failure->what : "")
      << fmt::format("{}", fmt::join(report.differs, "\n"));
  EXPECT_EQ(report.exit_code(), ExitCode::kDone);
  const auto addresses = host_.netlink().addresses().value();
  EXPECT_TRUE(std::ranges::any_of(addresses, [](const host::AddressInfo& address) {
    return address.address.text() == "198.51.100.11/24" && address.protocol != kOurAddressProtocol;
  }));
}

TEST_F(OtherManagersTest, ADeviceThatNobodyManagedBeforeIsNotGivenToAnyone) {
  auto ports = host_.host();
  ASSERT_TRUE(ports.bus.nm_set_managed("enp1s0f0np0", false));
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  ASSERT_EQ(test::release_on(ports_, node()).exit_code(), ExitCode::kDone);
  EXPECT_FALSE(host_.bus().nm_device("enp1s0f0np0")->managed);
}

}  // namespace
}  // namespace spark::kinds
