#include "gate/gate.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_writer.hpp"
#include "gate/checks/checks.hpp"

namespace spark::gate {

nlohmann::json to_json(const GateReport& report) {
  auto json = TextJsonWriter::write(report);
  json["verdict"] = name_of(report.verdict());
  return json;
}

namespace {

/// Of each address of each rail, in the order in which the facts depend on each other.
constexpr std::array kRailChecks{
    RailCheck{.check = check_link, .facts = {kLinkFact}, .needs = RailNeed::kNothing},
    RailCheck{.check = check_speed, .facts = {kSpeedFact}},
    RailCheck{.check = check_mtu, .facts = {kMtuFact}},
    RailCheck{.check = check_address, .facts = {kAddressFact}},
    RailCheck{.check = check_port, .facts = {kPortFact}},
    RailCheck{.check = check_gid, .facts = {kGidFact}, .needs = RailNeed::kPort},
    RailCheck{.check = check_loopback,
              .facts = {kPathMtuFact, kMemlockFact, kLoopbackFact, kBandwidthFact},
              .needs = RailNeed::kGid,
              .moves_bytes = true},
};

/// After those of all rails.
constexpr std::array kNodeChecks{
    NodeCheck{.check = check_peers, .facts = {kPeersFact}},
    NodeCheck{.check = check_cabling, .facts = {kCablingFact, kOneHostFact}},
    NodeCheck{.check = check_between_nodes, .facts = {kPeerRdmaFact, kSameFileFact, kPeerMtuFact}},
    NodeCheck{.check = check_rails, .facts = {kRailsFact}},
    NodeCheck{.check = check_service, .facts = {kServiceFact}},
    NodeCheck{.check = check_storage, .facts = {kNvmeFact, kMountFact, kVolumeFact}},
};

bool has(const RailObservation& look, RailNeed need) {
  switch (need) {
    case RailNeed::kNothing:
      return true;
    case RailNeed::kLink:
      return look.link != nullptr;
    case RailNeed::kPort:
      return look.port != nullptr;
    case RailNeed::kGid:
      return look.found.gid_index.has_value();
  }
  return false;
}

/// "path mtu, memlock, loopback".
std::string names_of(const FactKinds& facts) {
  std::string names;
  for (const auto& fact : facts) {
    if (!fact.id.empty()) names += fmt::format("{}{}", names.empty() ? "" : ", ", fact.name);
  }
  return names;
}

RailFacts observe_rail(const GateSnapshot& snapshot, const config::WantedLink& wanted,
                       const IpPrefix& address, bool may_move_bytes) {
  RailFacts found{.link = wanted.name, .ip = address.ip};
  RailObservation look{.snapshot = snapshot,
                       .wanted = wanted,
                       .address = address,
                       .found = found,
                       .link = snapshot.view.link(wanted.name)};
  for (const auto& row : kRailChecks) {
    if (!has(look, row.needs) || (row.moves_bytes && !may_move_bytes)) continue;
    snapshot.options.begins(fmt::format("{}: {}", wanted.name, names_of(row.facts)));
    row.check(look);
  }
  return found;
}

/// True: it did not hold.
bool keep_fact(std::string_view id, const std::vector<Fact>& earlier, std::vector<Fact>& facts) {
  const auto known = std::ranges::find(earlier, id, &Fact::id);
  if (known == earlier.end() || std::ranges::find(facts, id, &Fact::id) != facts.end()) {
    return false;
  }
  facts.push_back(*known);
  return known->verdict != Verdict::kReady;
}

/// The links whose addresses are rails: cage by cage, rail 0 first, and then those of no cage. The
/// first fact that does not hold is the reason of the verdict.
std::vector<const config::WantedLink*> rdma_links(const config::Node& node) {
  std::vector<const config::WantedLink*> links;
  for (const auto& [name, wanted] : node.links) {
    if (wanted.rdma && !wanted.owner_host) links.push_back(&wanted);
  }
  std::ranges::stable_sort(links, {}, [](const auto* link) {
    return std::pair(!link->rail, link->rail.value_or(config::Rail{}));
  });
  return links;
}

std::vector<RailFacts> observe_rails(const GateSnapshot& snapshot, bool may_move_bytes) {
  std::vector<RailFacts> rails;
  for (const auto* wanted : rdma_links(snapshot.node)) {
    for (const auto& address : wanted->addresses) {
      rails.push_back(observe_rail(snapshot, *wanted, address.value, may_move_bytes));
    }
  }
  return rails;
}

}  // namespace

GateReport judge(host::Host& host, host::View& view, const config::Node& node,
                 const GateOptions& options) {
  const GateSnapshot snapshot{host, view, node, options};
  GateReport report{.rails = observe_rails(snapshot, true), .node = {}};
  for (const auto& row : kNodeChecks) {
    options.begins(names_of(row.facts));
    row.check(snapshot, report);
  }
  return report;
}

std::vector<RailFacts> rails_in_tables(host::Host& host, host::View& view,
                                       const config::Node& node) {
  const GateOptions options;
  return observe_rails({host, view, node, options}, false);
}

std::vector<FactKind> fact_kinds() {
  std::vector<FactKind> kinds;
  const auto add = [&kinds](const FactKinds& facts) {
    std::ranges::copy_if(facts, std::back_inserter(kinds),
                         [](const FactKind& kind) { return !kind.id.empty(); });
  };
  for (const auto& row : kRailChecks) add(row.facts);
  for (const auto& row : kNodeChecks) add(row.facts);
  return kinds;
}

void keep_cabling(const GateReport& of_daemon, GateReport& report) {
  for (auto& rail : report.rails) {
    const auto known = std::ranges::find_if(of_daemon.rails, [&rail](const RailFacts& other) {
      return other.link == rail.link && other.ip == rail.ip;
    });
    const auto own = std::ranges::find(rail.facts, kCablingFact.id, &Fact::id);
    // Without a fact of its own this end is not ready, as without a carrier: nothing is known.
    if (known == of_daemon.rails.end() || own == rail.facts.end()) continue;
    const auto* const theirs = known->find(kCablingFact.id);
    if (own->verdict != Verdict::kReady && theirs != nullptr) *own = *theirs;
    keep_fact(kOneHostFact.id, known->facts, rail.facts);
  }
}

bool keep_measured(const GateReport& earlier, GateReport& report) {
  if (!report.service_memlock) report.service_memlock = earlier.service_memlock;
  bool failing = false;
  for (const auto& kind : fact_kinds()) {
    if (!kind.deep) continue;
    for (auto& rail : report.rails) {
      const auto before = std::ranges::find_if(earlier.rails, [&](const RailFacts& other) {
        return other.device == rail.device && other.ip == rail.ip;
      });
      if (before != earlier.rails.end()) failing |= keep_fact(kind.id, before->facts, rail.facts);
    }
    failing |= keep_fact(kind.id, earlier.node, report.node);
  }
  return failing;
}

}  // namespace spark::gate
