#include "config/netplan.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kMac = "02:00:5E:10:00:02";

Result<std::vector<NetplanEntry>> entries_of(const std::string& text) {
  auto file = read_netplan(text);
  if (!file) return std::unexpected(file.error());
  return std::move(file->entries);
}

std::vector<std::string> rest_of(const std::string& network) {
  std::vector<std::string> rest;
  const auto file = read_netplan("network:\n  version: 2\n" + network);
  EXPECT_TRUE(file) << network;
  for (const auto& item : file ? file->rest : std::vector<NetplanRest>{}) {
    rest.push_back(item.what + (item.owner.empty() ? "" : " of " + item.owner) + " " +
                   std::to_string(item.line));
  }
  return rest;
}

TEST(Netplan, KnowsADeviceByItsNameItsPatternItsMacAndItsDriver) {
  const auto entries = entries_of(R"(network:
  version: 2
  ethernets:
    enp1s0f0np0: { dhcp4: true }
    by-pattern: { match: { name: "enp1s0f*" } }
    by-mac: { match: { macaddress: "02:00:5e:10:00:02" }, set-name: lan0 }
    by-driver: { match: { driver: mlx5_core } }
    enP7s7: { dhcp4: true }
)");
  ASSERT_TRUE(entries) << entries.error().what;
  ASSERT_THAT(*entries, SizeIs(5));
  EXPECT_EQ(entries->at(0).line, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(claims(entries->at(static_cast<std::size_t>(i)), "enp1s0f0np0", kMac)) << i;
  }
  EXPECT_FALSE(claims(entries->at(4), "enp1s0f0np0", kMac));
  EXPECT_FALSE(claims(entries->at(2), "enp1s0f1np1", "02:00:5e:10:00:03"));
}

TEST(Netplan, KnowsWhatABondAndAVlanStandOn) {
  const auto entries = entries_of(R"(network:
  bonds:
    bond0: { interfaces: [enp1s0f0np0, enp1s0f1np1] }
  vlans:
    vlan7: { id: 7, link: enp1s0f0np0 }
)");
  ASSERT_TRUE(entries);
  EXPECT_TRUE(claims(entries->at(0), "enp1s0f1np1", kMac));
  EXPECT_TRUE(claims(entries->at(1), "enp1s0f0np0", kMac));
  EXPECT_FALSE(claims(entries->at(1), "enp1s0f1np1", kMac));
}

TEST(Netplan, TellsWhatNetworkManagerMadeByItself) {
  const auto entries = entries_of(R"(network:
  ethernets:
    NM-1: { match: { name: enp1s0f0np0 }, networkmanager: { name: "Wired connection 1" } }
    NM-2: { match: { name: enp1s0f0np0 }, networkmanager: { name: "fabric" } }
)");
  ASSERT_TRUE(entries);
  EXPECT_TRUE(entries->at(0).automatic);
  EXPECT_FALSE(entries->at(1).automatic);
}

TEST(Netplan, TakesAFileWithoutDevicesAndRefusesWhatIsNone) {
  EXPECT_THAT(entries_of("network: { version: 2, renderer: NetworkManager }").value(), IsEmpty());
  EXPECT_THAT(entries_of("network: { ethernets: [] }").value(), IsEmpty());
  for (const auto* text : {"", "- 1\n", "nodes: {}\n", "network: [\n", "a: b: c\n"}) {
    EXPECT_EQ(read_netplan(text).error().code, ErrorCode::kInvalid) << text;
  }
}

TEST(Netplan, OddShapesClaimNothingAndBreakNothing) {
  const auto entries = entries_of(
      "network: { ethernets: { a: , b: 3, c: { match: 5 }, d: { match: { name: {} } } } }");
  ASSERT_TRUE(entries);
  EXPECT_THAT(*entries, SizeIs(4));
  EXPECT_FALSE(claims(entries->at(0), "enp1s0f0np0", kMac));
}

/// Its own (netplan(5), parse.c), and two that it does not know.
TEST(Netplan, EverySectionBesideEthernetsIsNamedWithItsLine) {
  for (const std::string section : {"modems", "wifis", "bridges", "bonds", "vlans", "tunnels",
                                    "dummy-devices", "virtual-ethernets", "vrfs", "xfrm-interfaces",
                                    "nm-devices", "openvswitch", "wires", "<<"}) {
    const auto text =
        fmt::format("  ethernets:\n    enp1s0f0np0: {{ mtu: 9000 }}\n  \"{}\":\n", section);
    const auto named = ElementsAre("`" + section + "` 5");
    EXPECT_THAT(rest_of(text + "    x: { id: 1 }\n"), named);
    EXPECT_THAT(rest_of(text + "    - x\n"), named) << "not a map";
  }
  EXPECT_THAT(rest_of("  ethernets: [enp1s0f0np0]\n"), ElementsAre("`ethernets` 3"));
  EXPECT_THAT(rest_of("wires: {}\n"), ElementsAre("`wires` 3")) << "beside `network`";
}

TEST(Netplan, AKeyOfARailThatThisProgramDoesNotSetIsNamedWithItsLine) {
  for (const std::string key :
       {"routes", "routing-policy", "nameservers", "gateway4", "gateway6", "macaddress", "set-name",
        "virtual-function-count", "embedded-switch-mode", "link", "auth", "ipv6-mtu",
        "neigh-suppress", "no-such-key"}) {
    EXPECT_THAT(rest_of("  ethernets:\n    enp1s0f0np0:\n      mtu: 9000\n      " + key + ": 1\n"),
                ElementsAre("`" + key + "` of enp1s0f0np0 6"));
  }
  EXPECT_THAT(rest_of("  ethernets:\n    a: { match: { name: x, path: pci-1 } }\n"),
              ElementsAre("`path` of a 4"));
  EXPECT_THAT(
      rest_of("  ethernets:\n    a: { networkmanager: { passthrough: { ipv4.route1: x } } }\n"),
      ElementsAre("`ipv4.route1` of a 4"));
}

/// netplan reads both (process_mapping of parse.c).
TEST(Netplan, WhatStandsThereTwiceIsReadTwiceAndNamed) {
  const std::string first = "  ethernets:\n    enp1s0f0np0: { mtu: 9000 }\n";
  const auto file =
      read_netplan("network:\n" + first + "  ethernets:\n    enP7s7: { dhcp4: true }\n");
  ASSERT_TRUE(file);
  ASSERT_THAT(file->entries, SizeIs(2));
  EXPECT_EQ(file->entries[1].id, "enP7s7");
  const auto named = [](const std::string& what) { return ElementsAre(what); };
  EXPECT_THAT(rest_of(first + "  ethernets:\n    enP7s7: { dhcp4: true }\n"),
              named("`ethernets` 5"));
  EXPECT_THAT(rest_of(first + "    enp1s0f0np0: { mtu: 1500 }\n"), named("`enp1s0f0np0` 5"));
  EXPECT_THAT(rest_of("  ethernets:\n    a: { match: { name: x }, match: { name: y } }\n"),
              named("`match` of a 4"));
  EXPECT_THAT(rest_of("  ethernets:\n    a: { match: { name: x, name: y } }\n"),
              named("`name` of a 4"));
  EXPECT_THAT(rest_of(first + "network: {}\n"), named("`network` 5"));
  EXPECT_THAT(rest_of(first + "---\nnetwork: {}\n"), named("a second document 6"));
}

TEST(Netplan, WhatTheUsualToolsWriteOfARailIsAccountedFor) {
  EXPECT_THAT(rest_of(R"(  renderer: NetworkManager
  ethernets:
    renderer: networkd
    enp1s0f0np0: { link-local: [ipv4] }
    enp1s0f1np1:
      addresses: [192.0.2.1/24, 192.0.2.2/24: { label: "x:1", lifetime: 0 }]
      mtu: 9000
      dhcp4: false
      dhcp6: false
      accept-ra: false
      optional: true
    NM-1:
      renderer: NetworkManager
      match: { name: enP2p1s0f0np0 }
      dhcp4: true
      dhcp6: true
      ipv6-address-generation: "stable-privacy"
      wakeonlan: true
      networkmanager:
        uuid: "1"
        name: "Wired connection 1"
        passthrough:
          connection.autoconnect-priority: "-999"
          connection.timestamp: "1"
          ethernet._: ""
          ipv6.addr-gen-mode: "default"
          proxy._: ""
)"),
              IsEmpty());
}

constexpr const char* kProfileText = R"(  ethernets:
    NM-0b6f2f0e-93c5-4d0a-9d7e-2f6f3c1f9a11:
      renderer: NetworkManager
      match:
        name: "enp1s0f0np0"
{0}      wakeonlan: true
      networkmanager:
        uuid: "0b6f2f0e-93c5-4d0a-9d7e-2f6f3c1f9a11"
        name: "{1}"
        passthrough:
{2})";

// Whole files, as Ubuntu's NetworkManager has libnetplan write them (parse-nm.c): what netplan has
// no key for is passed through, `ipv6.ip6-privacy` of each profile whose IPv6 is not ignored.
TEST(Netplan, AProfileThatNetworkManagerHandedToNetplanIsAccountedFor) {
  const auto automatic = fmt::format(kProfileText, R"(      dhcp4: true
      dhcp6: true
)",
                                     "Wired connection 1",
                                     R"(          connection.autoconnect-priority: "-999"
          connection.timestamp: "1764460800"
          ethernet._: ""
          ipv6.addr-gen-mode: "default"
          ipv6.ip6-privacy: "-1"
          proxy._: ""
)");
  const auto fixed = fmt::format(kProfileText, R"(      addresses:
      - "192.0.2.11/24"
      - "2001:db8::11/64"
      mtu: 9000
      ipv6-address-generation: "stable-privacy"
)",
                                 "rail-1",
                                 R"(          connection.autoconnect-retries: "3"
          connection.permissions: ""
          connection.timestamp: "1764460800"
          ethernet.auto-negotiate: "true"
          ethernet.mac-address-blacklist: ""
          ethernet.wake-on-lan: "64"
          ipv4.dns-search: ""
          ipv4.ignore-auto-dns: "true"
          ipv4.ignore-auto-routes: "true"
          ipv4.may-fail: "false"
          ipv4.never-default: "true"
          ipv6.ip6-privacy: "-1"
          ipv6.never-default: "true"
          proxy._: ""
)");
  const auto without_ipv6 = fmt::format(kProfileText, R"(      addresses:
      - "192.0.2.11/24"
)",
                                        "rail-1",
                                        R"(          connection.autoconnect: "false"
          ethernet._: ""
          ipv6.addr-gen-mode: "default"
          ipv6.ip6-privacy: "-1"
          ipv6.method: "disabled"
          proxy._: ""
)");
  for (const auto& text : {automatic, fixed, without_ipv6}) {
    EXPECT_THAT(rest_of(text), IsEmpty());
    const auto file = read_netplan("network:\n  version: 2\n" + text);
    ASSERT_TRUE(file) << file.error().what;
    ASSERT_THAT(file->entries, SizeIs(1));
    EXPECT_THAT(file->entries[0].names, ElementsAre("enp1s0f0np0"));
    EXPECT_EQ(file->entries[0].automatic, text == automatic);
    EXPECT_EQ(file->networkmanager_line, 5);
  }
}

TEST(Netplan, WhatAPassedThroughProfileAsksForBesideItsDeviceIsNamed) {
  for (const std::string line :
       {R"(ipv4.address1: "192.0.2.11/24,192.0.2.1")", R"(ipv4.dns-search: "example.com")",
        R"(ipv4.method: "shared")", R"(ipv4.route1: "198.51.100.0/24")",
        R"(connection.type: "vlan")", R"(connection.zone: "public")",
        R"(connection.controller: "bond0")", R"(802-1x.eap: "tls")", R"(user.a: "b")",
        R"(user._: "")", R"(match.interface-name: "en*")", R"(tc.qdisc.root: "sfq")",
        R"(proxy.method: "1")", "ipv6.ip6-privacy: { a: b }", R"(no-such-key: "")"}) {
    const auto key = line.substr(0, line.find(':'));
    EXPECT_THAT(rest_of(fmt::format(kProfileText, "", "rail-1", "          " + line + "\n")),
                ElementsAre(testing::StartsWith("`" + key + "` of NM-")));
  }
}

TEST(Netplan, APassedThroughDeviceGoesBeforeTheMatch) {
  const auto entries = entries_of("network:\n" + fmt::format(kProfileText, "", "rail-1", R"(
          connection.interface-name: "enp1s0f1np1"
          ethernet.mac-address: "02:00:5E:10:00:03"
)"));
  ASSERT_TRUE(entries);
  EXPECT_TRUE(claims(entries->at(0), "enp1s0f1np1", "02:00:5e:10:00:03"));
  EXPECT_FALSE(claims(entries->at(0), "enp1s0f0np0", kMac));
}

TEST(Netplan, TheLineThatGivesADeviceToNetworkManagerIsFoundInEachSection) {
  const auto line_of = [](const std::string& network) {
    const auto file = read_netplan("network:\n" + network);
    return file ? file->networkmanager_line : -1;
  };
  EXPECT_EQ(line_of("  renderer: NetworkManager\n"), 0) << "no device";
  EXPECT_EQ(line_of("  ethernets:\n    a: { dhcp4: true }\n"), 0);
  EXPECT_EQ(line_of("  ethernets:\n    a:\n      dhcp4: true\n      renderer: NetworkManager\n"),
            5);
  EXPECT_EQ(line_of("  wifis:\n    a: { renderer: NetworkManager }\n"), 3);
  EXPECT_EQ(line_of("  ethernets:\n    renderer: NetworkManager\n    a: {}\n"), 3);
  EXPECT_EQ(line_of("  ethernets:\n    renderer: NetworkManager\n    a: { renderer: networkd }\n"),
            0);
  EXPECT_EQ(line_of("  ethernets:\n    a: {}\n    renderer: NetworkManager\n"), 0)
      << "it counts for what stands below it";
}

}  // namespace
}  // namespace spark::config
