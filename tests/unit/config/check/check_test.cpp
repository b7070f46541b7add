#include "config/check/check.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "config/parse/parse.hpp"

namespace spark::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> ids_of(std::string_view text) {
  std::vector<std::string> ids;
  for (const auto& diagnostic :
       parse(fmt::format("version: 1\ncluster: lab\n{}", text)).diagnostics) {
    ids.push_back(diagnostic.id);
  }
  return ids;
}

/// Two nodes, one of them with these links, and a cable between their cages 0.
std::vector<std::string> ids_with_links(std::string_view links) {
  return ids_of(
      fmt::format("nodes: {{ a: {{ number: 1, links: {{ {} }} }}, b: {{ number: 2 }} }}\n"
                  "fabric: {{ mtu: 9000, cables: [{{ ends: [a:0, b:0], subnets: [192.0.2.0/24, "
                  "198.51.100.0/24] }}] }}\n",
                  links));
}

TEST(CheckLinks, LetALinkNameTheRailOfACable) {
  EXPECT_THAT(ids_with_links("enp1s0f0np0: { addresses: [192.0.2.101/24], up: true }"), IsEmpty());
}

TEST(CheckLinks, RefuseTheSubnetOfARailOnItsTwin) {
  EXPECT_THAT(ids_with_links("enP2p1s0f0np0: { addresses: [192.0.2.101/24] }"),
              ElementsAre("SR-SPEC-104"));
}

TEST(CheckLinks, SayNothingAboutTheHalfOfALinkOfTheHost) {
  EXPECT_THAT(ids_with_links("enp1s0f1np1: { owner: host, addresses: [203.0.113.5/24] }"),
              IsEmpty());
}

TEST(CheckLinks, AllowTwoLinksOfTheHostInOneSubnet) {
  EXPECT_THAT(ids_with_links("eth0: { owner: host, addresses: [203.0.113.5/24] }, "
                             "eth1: { owner: host, addresses: [203.0.113.6/24] }"),
              IsEmpty());
}

TEST(CheckLinks, AllowOneSubnetOnLinksOfTwoNodes) {
  EXPECT_THAT(ids_of("nodes:\n  a: { links: { eth0: { addresses: [192.0.2.1/24] } } }\n"
                     "  b: { links: { eth0: { addresses: [192.0.2.2/24] } } }\n"),
              IsEmpty());
}

TEST(CheckLinks, AllowOneLinkSeveralAddressesOfOneSubnet) {
  EXPECT_THAT(ids_with_links("eth0: { addresses: [203.0.113.5/24, 203.0.113.6/24] }"), IsEmpty());
}

TEST(CheckLinks, WarnAboutOneRailOfACageWithAnAddress) {
  EXPECT_THAT(ids_with_links("enP2p1s0f1np1: { addresses: [203.0.113.5/24] }"),
              ElementsAre("SR-SPEC-201"));
}

TEST(CheckLinks, WarnAboutAnMtuOfRailsAlone) {
  EXPECT_THAT(ids_with_links("enp1s0f1np1: { mtu: 4191 }, enP2p1s0f1np1: { mtu: 4192 }"),
              ElementsAre("SR-SPEC-208"));
  EXPECT_THAT(ids_with_links("enP7s7: { mtu: 1500 }, enp1s0f1np1: { mtu: 1500, owner: host }, "
                             "enP2p1s0f1np1: { mtu: 1500, up: false }"),
              IsEmpty());
  EXPECT_THAT(ids_of("nodes: { a: { management: enp1s0f0np0, links: { enp1s0f0np0: { mtu: 1500 } } "
                     "} }\n"),
              IsEmpty());
  EXPECT_THAT(ids_of("nodes: { a: { cages: { 0: [eth0, eth1] }, links: { eth0: { mtu: 1500 }, "
                     "eth1: { mtu: 1500 }, eth2: { mtu: 1500 } } } }\n"),
              ElementsAre("SR-SPEC-208", "SR-SPEC-208"));
}

TEST(CheckFabric, WarnsOnceAboutAnMtuThatALinkRepeats) {
  EXPECT_THAT(ids_of("nodes: { a: { number: 1, links: { enp1s0f0np0: { mtu: 1500 } } }, b: { "
                     "number: 2 } }\n"
                     "fabric: { mtu: 1500, cables: [{ ends: [a:0, b:0], subnets: [192.0.2.0/24, "
                     "198.51.100.0/24] }] }\n"),
              ElementsAre("SR-SPEC-208"));
}

TEST(CheckFabric, SaysNothingOfTheMtuOfACableToAnExternalHost) {
  EXPECT_THAT(ids_of("nodes: { a: { number: 1 } }\nexternal: { nas: { addresses: [192.0.2.50] } }\n"
                     "fabric: { cables: [{ ends: [a:0, nas], subnets: [192.0.2.0/24], mtu: 1500 }] "
                     "}\n"),
              IsEmpty());
}

TEST(CheckAddresses, RefuseAHostNumberOnceForAllSubnets) {
  EXPECT_THAT(ids_of("nodes: { a: { number: 7 }, b: { number: 7 } }\n"
                     "fabric: { mtu: 9000, cables: [{ ends: [a:0, b:0], subnets: [192.0.2.0/24, "
                     "198.51.100.0/24] }] }\n"),
              ElementsAre("SR-SPEC-102"));
}

TEST(CheckAddresses, AllowOneHostNumberOnSeparateCables) {
  EXPECT_THAT(
      ids_of("nodes: { a: { number: 1 }, b: { number: 2 }, c: { number: 1 }, d: { number: 2 } }\n"
             "fabric: { mtu: 9000, cables: [\n"
             "  { ends: [a:0, b:0], subnets: [192.0.2.0/25, 192.0.2.128/25] },\n"
             "  { ends: [c:0, d:0], subnets: [198.51.100.0/25, 198.51.100.128/25] }] }\n"),
      IsEmpty());
}

TEST(CheckAddresses, AllowPointToPointSubnets) {
  EXPECT_THAT(ids_of("nodes: { a: { number: 0 }, b: { number: 1 } }\n"
                     "fabric: { mtu: 9000, cables: [{ ends: [a:0, b:0], subnets: [192.0.2.0/31, "
                     "\"2001:db8::/127\"] }] }\n"),
              IsEmpty());
}

TEST(CheckSubnets, FindAnOverlapInsideAnOverlap) {
  EXPECT_THAT(ids_of("nodes: { a: { number: 1 }, b: { number: 2 }, c: { number: 3 } }\n"
                     "fabric: { mtu: 9000, switches: [\n"
                     "  { name: s1, ports: [a:0, b:0], subnets: [10.0.0.0/8, 192.0.2.0/24] },\n"
                     "  { name: s2, ports: [b:1, c:0], subnets: [10.1.0.0/16, 203.0.113.0/24] },\n"
                     "  { name: s3, ports: [a:1, c:1], subnets: [10.1.2.0/24, 10.9.0.0/24] }] }\n"),
              ElementsAre("SR-SPEC-104", "SR-SPEC-104", "SR-SPEC-104"));
}

TEST(CheckFabric, NamesTheEndsOfAChain) {
  EXPECT_THAT(ids_of("nodes: { a: { number: 1 }, b: { number: 2 }, c: { number: 3 } }\n"
                     "fabric: { mtu: 9000, cables: [\n"
                     "  { ends: [a:0, b:1], subnets: [192.0.2.0/25, 192.0.2.128/25] },\n"
                     "  { ends: [b:0, c:1], subnets: [198.51.100.0/25, 198.51.100.128/25] }] }\n"),
              ElementsAre("SR-SPEC-217"));
}

TEST(CheckFabric, TheEndsOfAChainOfFourAreNamedAndNotJoined) {
  const auto parsed = parse(
      "version: 1\ncluster: lab\nnodes: { a: { number: 1 }, b: { number: 2 }, c: { number: 3 }, d: "
      "{ number: 4 } }\n"
      "fabric: { mtu: 9000, cables: [\n"
      "  { ends: [b:0, a:1], subnets: [192.0.2.0/25, 192.0.2.128/25] },\n"
      "  { ends: [a:0, c:1], subnets: [198.51.100.0/25, 198.51.100.128/25] },\n"
      "  { ends: [c:0, d:1], subnets: [203.0.113.0/25, 203.0.113.128/25] }] }\n");
  ASSERT_EQ(parsed.diagnostics.size(), 1U);
  EXPECT_EQ(parsed.diagnostics[0].message, "'b' and 'd' have no path of their own");
  EXPECT_FALSE(parsed.diagnostics[0].reason.contains("by a cable, "));
}

/// A ring; `is_turned[i]`: node i has its plugs the other way round.
std::string ring_text(const std::vector<bool>& is_turned) {
  std::string text = "version: 1\ncluster: lab\nnodes:\n";
  std::string cables;
  for (std::size_t i = 0; i < is_turned.size(); ++i) {
    const auto next = (i + 1) % is_turned.size();
    text += fmt::format("  n{}: {{ number: {} }}\n", i, i + 1);
    cables +=
        fmt::format("    - {{ ends: [n{}:{}, n{}:{}], subnets: [10.{}.0.0/24, 10.{}.1.0/24] }}\n",
                    i, is_turned[i] ? 1 : 0, next, is_turned[next] ? 0 : 1, i, i);
  }
  return text + "fabric:\n  mtu: 9000\n  cables:\n" + cables;
}

TEST(CheckFabric, TheHintForLikeCagesIsOneForTheRingAndEndsThem) {
  for (std::size_t size = 3; size <= 6; ++size) {
    for (unsigned drawn = 0; drawn < (1U << size); ++drawn) {
      std::vector<bool> is_turned(size);
      for (std::size_t i = 0; i < size; ++i) is_turned[i] = ((drawn >> i) & 1U) != 0;
      const auto like_cages = [](const Parsed& parsed) {
        std::vector<Diagnostic> found;
        std::ranges::copy_if(parsed.diagnostics, std::back_inserter(found), [](const auto& one) {
          return one.id == "SR-SPEC-213" || one.severity == Severity::kError;
        });
        return found;
      };
      const auto found = like_cages(parse(ring_text(is_turned)));
      const bool is_right =
          std::ranges::adjacent_find(is_turned, std::not_equal_to{}) == is_turned.end();
      ASSERT_EQ(found.size(), is_right ? 0 : 1) << ring_text(is_turned);
      if (is_right) continue;
      std::size_t turned = 0;
      for (std::size_t i = 0; i < size; ++i) {
        if (!has_name(found[0].reason, fmt::format("n{}", i))) continue;
        is_turned[i] = !is_turned[i];
        ++turned;
      }
      EXPECT_LE(turned, size / 2);
      EXPECT_THAT(like_cages(parse(ring_text(is_turned))), IsEmpty()) << found[0].reason;
    }
  }
}

TEST(CheckFabric, TakesTwoCablesBetweenTwoNodesForNoRing) {
  EXPECT_THAT(ids_of("nodes: { a: { number: 1 }, b: { number: 2 } }\n"
                     "fabric: { mtu: 9000, cables: [\n"
                     "  { ends: [a:0, b:0], subnets: [192.0.2.0/25, 192.0.2.128/25] },\n"
                     "  { ends: [a:1, b:1], subnets: [198.51.100.0/25, 198.51.100.128/25] }] }\n"),
              IsEmpty());
}

TEST(CheckFabric, SaysNothingOfAbsentThingsWhereTheStructureIsBroken) {
  EXPECT_THAT(
      ids_of("nodes: { a: { number: eleven }, b: { number: 2 } }\n"
             "fabric: { mtu: 9000, cables: [{ ends: [a:0, b:0], subnets: [192.0.2.0/24] }] }\n"),
      ElementsAre("SR-SPEC-015"));
}

TEST(CheckSettings, LetAllBelowWhatTheRailsHold) {
  const std::string nodes = "nodes: { a: {} }\n";
  EXPECT_THAT(ids_of(nodes + "host: { sysctl: { net.ipv4.conf.all.arp_ignore: 0 } }\n"), IsEmpty());
  EXPECT_THAT(ids_of(nodes + "host: { sysctl: { net.ipv4.conf.all.arp_ignore: 2 } }\n"),
              ElementsAre("SR-SPEC-126"));
  EXPECT_THAT(ids_of(nodes + "host: { sysctl: { net.ipv4.conf.enp1s0f0np0.arp_ignore: 1 } }\n"),
              IsEmpty());
  EXPECT_THAT(ids_of(nodes + "host: { sysctl: { net.ipv4.conf.eth0.arp_ignore: 0 } }\n"),
              IsEmpty());
}

TEST(CheckSettings, KnowRailsByTheCagesOfANode) {
  EXPECT_THAT(ids_of("nodes: { a: { cages: { 0: [eth0.100, eth1] } } }\n"
                     "host: { sysctl: { net/ipv4/conf/eth0.100/arp_announce: 0 } }\n"),
              ElementsAre("SR-SPEC-126"));
}

TEST(CheckSettings, LetNoSysctlRunAProgram) {
  const auto ids_of_sysctl = [](const std::string& line) {
    return ids_of("nodes: { a: {} }\nhost: { sysctl: { " + line + " } }\n");
  };
  EXPECT_THAT(ids_of_sysctl("kernel.core_pattern: \"|/tmp/x\""), ElementsAre("SR-SPEC-135"));
  EXPECT_THAT(ids_of_sysctl("kernel/modprobe: /tmp/x"), ElementsAre("SR-SPEC-135"));
  EXPECT_THAT(ids_of_sysctl("net/ipv4/route/flush: 1"), ElementsAre("SR-SPEC-135"));
  EXPECT_THAT(ids_of_sysctl("kernel.numa_balancing: 0"), IsEmpty());
  EXPECT_THAT(ids_of_sysctl("net.ipv4.conf.eth0/100.rp_filter: 0"), IsEmpty());
}

TEST(CheckStorage, TakeAMountWithoutNamespaceForTheOnlyOne) {
  EXPECT_THAT(ids_of("nodes: { a: {}, b: {} }\n"
                     "storage:\n  - nvme_tcp: { nqn: x, address: 203.0.113.1 }\n"
                     "    mounts:\n"
                     "      - { namespace: 1, path: /mnt/x, type: ext4, read_write: a }\n"
                     "      - { path: /mnt/y, type: ext4, read_only: [b] }\n"),
              ElementsAre("SR-SPEC-121"));
}

TEST(CheckStorage, FindASecondWriterOnAnotherPathToTheTarget) {
  EXPECT_THAT(ids_of("nodes: { a: {}, b: {} }\n"
                     "storage:\n"
                     "  - nvme_tcp: { nqn: x, address: 203.0.113.1 }\n"
                     "    mounts: [{ path: /mnt/x, type: ext4, read_write: a }]\n"
                     "  - nvme_tcp: { nqn: x, address: 203.0.113.2 }\n"
                     "    mounts: [{ path: /mnt/x, type: ext4, read_write: b }]\n"),
              Contains("SR-SPEC-121"));
}

TEST(CheckStorage, AllowOnePathOnDifferentNodes) {
  EXPECT_THAT(ids_of("nodes: { a: {}, b: {} }\n"
                     "storage:\n  - nvme_tcp: { nqn: x, address: 203.0.113.1 }\n"
                     "    mounts:\n"
                     "      - { namespace: 1, path: /mnt/x, type: ext4, read_write: a }\n"
                     "      - { namespace: 2, path: /mnt/x, type: ext4, read_write: b }\n"),
              IsEmpty());
}

TEST(CheckNodes, MatchOneMachineByHostNameAndAnotherById) {
  EXPECT_THAT(ids_of("nodes:\n  a: { match: { hostname: b } }\n"
                     "  b: { match: { machine_id: 0123456789abcdef0123456789abcdef } }\n"),
              IsEmpty());
}

}  // namespace
}  // namespace spark::config
