#pragma once
// KnownCluster: what spark1 of a cluster knows of it, and what can happen to it. 1000 s after the
// boot.

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cluster/make_view.hpp"
#include "config/parse/parse.hpp"

namespace spark::test {

struct KnownCluster {
  using Detail = protocol::Detail;

  std::string yaml;
  cluster::Known known;

  [[nodiscard]] cluster::ClusterView view() const { return cluster::cluster_view(known); }

  protocol::NodeDetails& details_of(const std::string& node) {
    if (node == known.own.name) return known.told.own;
    const auto told = std::ranges::find_if(
        known.told.peers, [&](const auto& each) { return each.details.node == node; });
    return told->details;
  }

  /// All that one says of the way to another, over all cages or one link.
  void set_reach(const std::string& node, const std::string& other, protocol::Reach reach,
                 int rail = -1) {
    for (auto& way : details_of(node).reach) {
      if (way.node == other && (rail < 0 || way.rail == rail)) way.reach = reach;
    }
  }

  protocol::HeardHello& heard(const std::string& node) {
    return *std::ranges::find_if(known.told.heard,
                                 [&](const auto& each) { return each.hello.node == node; });
  }

  /// Our links that lead to it, rail 0 first.
  [[nodiscard]] std::vector<std::string> links_to(const std::string& node) const {
    std::vector<std::string> links;
    for (const auto& peer : known.told.expected) {
      if (peer.node == node) links.push_back(peer.link);
    }
    return links;
  }

  /// A fact of this node's gate that does not hold.
  protocol::Problem& fails(const std::string& id, const std::string& name, const std::string& link,
                           protocol::Detail detail, const std::string& measured,
                           std::vector<std::string> peers = {}, std::string remedy = {}) {
    auto& problem = known.own.problems.emplace_back();
    problem.node = known.own.name;
    problem.found = {.id = id,
                     .name = name,
                     .detail = detail,
                     .link = link,
                     .peers = std::move(peers),
                     .measured = measured};
    problem.remedy.text = std::move(remedy);
    return problem.found;
  }

  // --- what happens

  void goes_silent(const std::string& node) {
    for (auto& each : known.told.heard) {
      if (each.hello.node != node) continue;
      each.is_silent = true;
      each.heard_ms -= 41'000;
    }
    for (auto& told : known.told.peers) {
      if (told.details.node == node) {
        told.failed = "no answer";
        told.told_ms -= 41'000;
      }
      for (auto& passed : told.details.heard) {
        if (passed.node == node) passed.is_silent = true;
      }
    }
    for (const auto& link : links_to(node)) {
      fails("SR-GATE-011", "peers", link, Detail::kNoAnswer, node + " (192.0.2.1) does not answer",
            {node});
    }
    for (const auto& other : known.shape.nodes) {
      if (other != node) set_reach(other, node, protocol::Reach::kNone);
    }
  }

  /// The file in force is that of a commit; `principal`: who signed it, empty: nobody asked.
  void follows_a_repository(const std::string& principal) {
    known.own.file.commit = "3f9a1c0ccccccccccccccccccccccccccccccccc";
    known.own.file.principal = principal;
    known.own.file.age = std::chrono::minutes(4);
  }

  /// No hello of it came, and no neighbour speaks of it.
  void was_never_heard(const std::string& node) {
    std::erase_if(known.told.heard, [&](const auto& each) { return each.hello.node == node; });
    std::erase_if(known.told.peers, [&](const auto& told) { return told.details.node == node; });
    for (auto& told : known.told.peers) {
      std::erase_if(told.details.heard, [&](const auto& passed) { return passed.node == node; });
    }
    for (const auto& other : known.shape.nodes) {
      if (other != node) set_reach(other, node, protocol::Reach::kNotAsked);
    }
  }

  void has_another_file(const std::string& node) {
    for (auto& each : known.told.heard) {
      if (each.hello.node == node) each.hello.file = "2b77d10aaaaaaaaa";
    }
    details_of(node).file = "2b77d10aaaaaaaaa";
  }

  /// What a node has, and a newer file that waits there or is on trial.
  void has_files(const std::string& node, const std::string& file, const std::string& candidate) {
    auto& details = details_of(node);
    details.file = file;
    details.candidate = candidate;
    if (node == known.own.name) known.own.file.digest = file;
    for (auto& each : known.told.heard) {
      if (each.hello.node != node) continue;
      each.hello.file = protocol::short_digest(file);
      each.hello.candidate = protocol::short_digest(candidate);
    }
    for (auto& told : known.told.peers) {
      for (auto& passed : told.details.heard) {
        if (passed.node != node) continue;
        passed.file = protocol::short_digest(file);
        passed.candidate = protocol::short_digest(candidate);
      }
    }
  }

  /// The file asks for that order.
  void rolls_by(std::vector<std::vector<std::string>> groups) {
    known.rollout.is_asked = true;
    known.rollout.groups = std::move(groups);
  }

  /// Rail 1 of the cage that leads to spark1 has 1500, and the node says so. Nobody at the other
  /// end of it gets anything through.
  void has_a_small_mtu(const std::string& node) {
    auto& details = details_of(node);
    auto& rail = details.rails.at(1);
    rail.mtu = 1500;
    says_not_ready(node, {{.id = "SR-GATE-002",
                           .name = "mtu",
                           .detail = Detail::kDiffers,
                           .link = rail.link,
                           .measured = "1500, the file says 9000"}});
    const auto link = links_to(node).at(1);
    fails("SR-GATE-011", "peers", link, Detail::kSmallPackets,
          node + " (192.0.2.1) answers 84 bytes and not 9000", {node});
    fails("SR-GATE-021", "peer mtu", link, Detail::kDiffers,
          fmt::format("{} has 1500 on {}, this end 9000", node, rail.link), {node});
    for (auto& peer : details.reach) {
      if (peer.rail != 1 || peer.cage != rail.cage) continue;
      peer.reach = protocol::Reach::kNone;
      set_reach(peer.node, node, protocol::Reach::kNone, 1);
    }
  }

  /// Why: as values, and as the sentences that an older version tells alone.
  void says_not_ready(const std::string& node, std::vector<protocol::Problem> problems) {
    auto& details = details_of(node);
    details.verdict = "not ready";
    details.reasons.clear();
    for (const auto& problem : problems) {
      details.reasons.push_back(fmt::format("{} [{}]", problem.text(), problem.id));
    }
    details.problems = std::move(problems);
    for (auto& each : known.told.heard) {
      if (each.hello.node == node) {
        each.hello.verdict = "not ready";
        each.since_ms = 1'000'000 - 240'000;
      }
    }
  }

  /// spark1's cable to it is pulled: neither end has a carrier, and neither asks the other.
  void loses_the_carrier_to(const std::string& node) {
    known.own.verdict = protocol::Verdict::kNotReady;
    for (const auto& link : links_to(node)) {
      for (auto& rail : known.told.own.rails) {
        if (rail.link == link) rail.carrier = false;
      }
      fails("SR-GATE-001", "link", link, Detail::kNoCarrier,
            "no carrier: is the cable plugged in?");
    }
    for (auto& each : known.told.heard) {
      if (each.hello.node != node) continue;
      each.is_silent = true;
      each.heard_ms -= 41'000;
    }
    for (auto& told : known.told.peers) {
      if (told.details.node == node) told.failed = "no answer";
    }
    set_reach(known.own.name, node, protocol::Reach::kNotAsked);
  }

  /// RDMA devices are absent there, which closes its gate; an echo passes.
  void has_no_rdma(const std::string& node) {
    std::vector<protocol::Problem> problems;
    for (auto& rail : details_of(node).rails) {
      problems.push_back({.id = "SR-GATE-004",
                          .name = "port",
                          .detail = Detail::kAbsent,
                          .link = rail.link,
                          .measured = "no RDMA device on this link"});
      rail.fault = problems.back().text() + " [SR-GATE-004]";
    }
    says_not_ready(node, std::move(problems));
    for (const auto& link : links_to(node)) {
      fails("SR-GATE-019", "rdma", link, Detail::kTryFailed,
            "the echo passes, RDMA does not: " + node + ": no RDMA device on this link", {node});
    }
    for (const auto& other : known.shape.nodes) {
      if (other == node) continue;
      set_reach(other, node, protocol::Reach::kEcho);
      set_reach(node, other, protocol::Reach::kEcho);
    }
  }

  /// The plugs of spark1's two cages are swapped: each cable leads to the other neighbour, which
  /// says so too; over a wrong cable none can be asked why.
  void has_swapped_plugs() {
    known.own.verdict = protocol::Verdict::kNotReady;
    for (const auto& peer : known.told.expected) {
      says_not_ready(peer.node, {});
      details_of(peer.node).verdict = "ready";  // told before
      const auto& others = known.told.expected;
      const auto other =
          std::ranges::find_if(others, [&](const auto& each) { return each.node != peer.node; });
      const auto cage = known.told.own.rail(peer.link)->cage;
      fails("SR-GATE-011", "peers", peer.link, Detail::kNoAnswer,
            peer.node + " (192.0.2.1) does not answer", {peer.node});
      fails("SR-GATE-016", "cabling", peer.link, Detail::kWrongEnd,
            fmt::format("the cable in spark1:{} leads to {}:{}, the file says to {}:{}", cage,
                        other->node, other->cage, peer.node, peer.cage),
            {peer.node, other->node},
            fmt::format("swap the plugs in spark1:{} and spark1:{}", cage, 1 - cage));
      set_reach(known.own.name, peer.node, protocol::Reach::kNone);
      set_reach(peer.node, known.own.name, protocol::Reach::kNone);
    }
  }

  /// As spark1's gate finds it. `cage`: another one of spark1, which has the cable.
  void lacks_a_carrier(const std::string& link, std::optional<int> cage = std::nullopt) {
    auto& found = fails(
        "SR-GATE-001", "link", link, cage ? Detail::kOtherCage : Detail::kNoCarrier,
        "up, no carrier", {},
        cage ? fmt::format("cage {0} has a carrier and is not in the file: move the plug, or write "
                           "{1}:{0} in `ends`",
                           *cage, known.own.name)
             : "plug the cable, or look at the other end: its port may be down");
    if (cage) found.plug = {known.own.name, cage};
    fails("SR-GATE-004", "port", link, Detail::kDown,
          fmt::format("{} is not active (state 1, physical state 3)",
                      link.starts_with("enP2") ? "roceP2p1s0f0" : "rocep1s0f0"));
  }

  /// spark1's plug for it is in the other cage, which the file does not name. The other end has a
  /// carrier, and hears nobody.
  void has_its_plug_in_the_other_cage(const std::string& node) {
    known.own.verdict = protocol::Verdict::kNotReady;
    for (const auto& link : links_to(node)) {
      auto& rails = known.told.own.rails;
      const auto rail = std::ranges::find(rails, link, &protocol::RailDetails::link);
      rail->carrier = false;
      lacks_a_carrier(link, 1 - rail->cage);
    }
    was_never_heard(node);
    set_reach(known.own.name, node, protocol::Reach::kNone);
  }

  /// spark1's cable to the switch is out, at either end: its rails have no carrier, and it hears
  /// nobody.
  void loses_its_switch() {
    known.own.verdict = protocol::Verdict::kNotReady;
    for (auto& rail : known.told.own.rails) {
      rail.carrier = false;
      lacks_a_carrier(rail.link);
    }
    for (auto& each : known.told.heard) {
      each.is_silent = true;
      each.heard_ms -= 41'000;
    }
    for (auto& told : known.told.peers) told.failed = "no answer";
    for (const auto& node : known.shape.nodes) {
      if (node != known.own.name) set_reach(known.own.name, node, protocol::Reach::kNone);
    }
  }

  /// One cable in both cages of spark1: it hears itself alone.
  void has_a_loop_cable() {
    known.own.verdict = protocol::Verdict::kNotReady;
    for (const auto& node : known.shape.nodes) {
      if (node != known.own.name) goes_silent(node);
    }
    for (const auto& peer : known.told.expected) {
      const auto cage = known.told.own.rail(peer.link)->cage;
      fails("SR-GATE-016", "cabling", peer.link, Detail::kWrongEnd,
            fmt::format("the cable in spark1:{} leads to spark1:{}, the file says to {}:{}", cage,
                        1 - cage, peer.node, peer.cage),
            {peer.node},
            fmt::format("swap the plugs in spark1:{} and {}:{}", 1 - cage, peer.node, peer.cage));
    }
  }
};

inline std::string link_of(int cage, int rail) {
  return fmt::format("{}1s0f{}np{}", rail == 0 ? "enp" : "enP2p", cage, cage);
}

/// Of that file, as `own` knows it: all nodes are ready, with one file, and everything is proven.
inline KnownCluster known_cluster(const std::string& yaml, const std::string& own = "spark1") {
  constexpr std::int64_t kNow = 1'000'000;
  KnownCluster all{.yaml = yaml, .known = {}};
  const auto parsed = config::parse(yaml);
  EXPECT_FALSE(config::has_errors(parsed.diagnostics)) << yaml;
  auto& known = all.known;
  known.shape = cluster::shape_of(parsed.cluster);
  known.now = std::chrono::milliseconds(kNow);
  const auto& digest = parsed.cluster.digest;
  known.own = {.name = own,
               .verdict = protocol::Verdict::kReady,
               .since = std::chrono::hours(75),
               .version = "0.2.0",
               .file = {.name = "cluster.yaml", .digest = digest},
               .problems = {}};
  for (const auto& name : known.shape.nodes) {
    protocol::NodeDetails details{.cluster = known.shape.cluster,
                                  .node = name,
                                  .version = "0.2.0",
                                  .file = digest,
                                  .verdict = "ready",
                                  .reasons = {},
                                  .rails = {},
                                  .heard = {},
                                  .host_nqn = "nqn of " + name,
                                  .reach = {},
                                  .verdicts = {}};
    if (name == own) {
      known.told.own = details;
    } else {
      details.machine = "machine of " + name;
      known.told.peers.push_back({.details = details, .told_ms = kNow - 5000});
    }
  }
  int subnet = 0;
  const auto add_end = [&](const std::string& node, int cage, const std::string& other,
                           int other_cage, int rail) {
    auto& details = all.details_of(node);
    if (details.rail(link_of(cage, rail)) == nullptr) {
      details.rails.push_back({.link = link_of(cage, rail),
                               .cage = cage,
                               .rail = rail,
                               .mac = "02:00:00:00:00:01",
                               .mtu = 9000,
                               .carrier = true});
    }
    details.reach.push_back(
        {.node = other, .cage = cage, .rail = rail, .reach = protocol::Reach::kRdma});
    if (node != own) return;
    known.told.expected.push_back({.node = other,
                                   .ip = *IpAddress::parse(fmt::format("192.0.2.{}", ++subnet)),
                                   .link = link_of(cage, rail),
                                   .local = *IpAddress::parse("192.0.2.200"),
                                   .cage = other_cage,
                                   .rail = rail});
    known.told.heard.push_back({.link = link_of(cage, rail),
                                .mac = "02:00:00:00:00:02",
                                .hello = {.cluster = known.shape.cluster,
                                          .node = other,
                                          .cage = other_cage,
                                          .rail = rail,
                                          .file = protocol::short_digest(digest),
                                          .verdict = "ready"},
                                .heard_ms = kNow - 2400,
                                .since_ms = kNow - 900'000});
  };
  for (const auto& wire : known.shape.wires()) {
    for (int rail = 0; rail < wire.rails; ++rail) {
      add_end(wire.node, wire.cage, wire.other, wire.other_cage, rail);
      add_end(wire.other, wire.other_cage, wire.node, wire.cage, rail);
    }
  }
  // Who is across a ring of four answers nobody here: its neighbours pass on what they heard of it.
  std::erase_if(known.told.peers, [&](const auto& told) {
    return std::ranges::find(known.told.expected, told.details.node,
                             &protocol::ExpectedPeer::node) == known.told.expected.end();
  });
  const bool is_cabled = !known.shape.words.starts_with("switch");
  for (const auto& wire : known.shape.wires()) {
    for (const auto& [node, other] :
         {std::pair(wire.node, wire.other), std::pair(wire.other, wire.node)}) {
      for (auto& told : known.told.peers) {
        if (told.details.node != node || !is_cabled) continue;
        told.details.heard.push_back(
            {.node = other, .file = protocol::short_digest(digest), .verdict = "ready"});
      }
    }
  }
  return all;
}

inline KnownCluster known_pair() {
  return known_cluster(
      "version: 1\ncluster: lab\nnodes: { spark1: { number: 11 }, spark2: { number: 12 } }\n"
      "fabric:\n  mtu: 9000\n  cables: [{ ends: [spark1:0, spark2:0], subnets: [203.0.113.0/24, "
      "198.51.100.0/24] }]\n");
}

/// As `own` knows it. `more`: further sections of the file; `of_spark3`: what else it says there.
inline KnownCluster known_ring_at(const std::string& own, const std::string& more = {},
                                  const std::string& of_spark3 = {}) {
  return known_cluster(
      "version: 1\ncluster: lab\n"
      "nodes: { spark1: { number: 11 }, spark2: { number: 12 }, spark3: { number: 13" +
          of_spark3 +
          " } }\n"
          "fabric:\n  mtu: 9000\n  cables:\n"
          "    - { ends: [spark1:0, spark2:1], subnets: [192.168.177.0/24, 192.168.178.0/24] }\n"
          "    - { ends: [spark3:0, spark1:1], subnets: [192.168.187.0/24, 192.168.188.0/24] }\n"
          "    - { ends: [spark2:0, spark3:1], subnets: [192.168.197.0/24, 192.168.198.0/24] }\n" +
          more,
      own);
}

/// spark3 is off, and the file says so.
inline KnownCluster known_ring_without_one() {
  auto ring = known_ring_at("spark1", "", ", away: true");
  ring.goes_silent("spark3");
  return ring;
}

inline KnownCluster known_ring() { return known_ring_at("spark1"); }

inline constexpr const char* kNewDigest =
    "3f9a1c0bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
inline constexpr const char* kOldDigest =
    "2b77d10aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// spark3 tries a new file, and the others wait for it, of which spark1 says so.
inline KnownCluster known_ring_that_rolls() {
  auto ring = known_ring_at("spark1", "rollout: { order: [[spark3], [spark1, spark2]] }\n");
  const auto old = ring.known.own.file.digest;
  ring.rolls_by({{"spark3"}, {"spark1", "spark2"}});
  ring.has_files("spark1", old, kNewDigest);
  ring.has_files("spark2", old, kNewDigest);
  ring.has_files("spark3", kNewDigest, kNewDigest);
  ring.known.rollout.held = {.digest = kNewDigest,
                             .since = std::chrono::minutes(4),
                             .waits = {{.node = "spark3", .why = "tries it"}},
                             .skipped = {}};
  return ring;
}

/// spark1 has the new file; spark2 waits for spark3, which is silent.
inline KnownCluster known_ring_that_rolled_here() {
  auto ring = known_ring_at("spark1", "rollout: { order: [[spark1], [spark3], [spark2]] }\n");
  ring.rolls_by({{"spark1"}, {"spark3"}, {"spark2"}});
  ring.has_files("spark2", kOldDigest, ring.known.own.file.digest);
  ring.has_files("spark3", kOldDigest, "");
  ring.goes_silent("spark3");
  return ring;
}

/// spark3 is across: no cable joins it to spark1.
inline KnownCluster known_ring_of_four() {
  return known_cluster(
      "version: 1\ncluster: lab\nnodes: { spark1: { number: 1 }, spark2: { number: 2 }, "
      "spark3: { number: 3 }, spark4: { number: 4 } }\n"
      "fabric:\n  mtu: 9000\n  cables:\n"
      "    - { ends: [spark1:0, spark2:1], subnets: [192.168.177.0/24, 192.168.178.0/24] }\n"
      "    - { ends: [spark2:0, spark3:1], subnets: [192.168.179.0/24, 192.168.180.0/24] }\n"
      "    - { ends: [spark3:0, spark4:1], subnets: [192.168.181.0/24, 192.168.182.0/24] }\n"
      "    - { ends: [spark4:0, spark1:1], subnets: [192.168.183.0/24, 192.168.184.0/24] }\n");
}

inline KnownCluster known_switch(int count = 8) {
  std::string nodes;
  std::string ports;
  for (int i = 1; i <= count; ++i) {
    nodes += fmt::format("  spark{}: {{ number: {} }}\n", i, 10 + i);
    ports += fmt::format("{}spark{}:0", i == 1 ? "" : ", ", i);
  }
  return known_cluster(fmt::format(
      "version: 1\ncluster: rack\nnodes:\n{}fabric:\n  mtu: 9000\n  switches:\n"
      "    - {{ name: leaf, ports: [{}], subnets: [192.168.177.0/24, 192.168.178.0/24] }}\n",
      nodes, ports));
}

}  // namespace spark::test
