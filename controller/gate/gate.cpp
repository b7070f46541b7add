#include "gate/gate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "gate/peer_facts.hpp"
#include "gate/rail_facts.hpp"
#include "gate/service_fact.hpp"
#include "gate/storage_facts.hpp"

namespace spark {
namespace {

/// The worst of those that count.
Verdict worst_of(const std::vector<Fact>& facts) {
  Verdict worst = Verdict::kReady;
  for (const auto& fact : facts) {
    worst = fact.counts ? std::max(worst, fact.verdict) : worst;
  }
  return worst;
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

/// Every peer answered over every rail, each of which has one.
bool peers_answer(const std::vector<RailFacts>& rails) {
  return std::ranges::all_of(rails, [](const RailFacts& rail) {
    const auto peers = std::ranges::find(rail.facts, "SR-GATE-011", &Fact::id);
    return peers != rail.facts.end() && peers->verdict == Verdict::kReady;
  });
}

}  // namespace

Verdict GateReport::verdict() const {
  auto worst = worst_of(node);
  for (const auto& rail : rails) {
    worst = std::max(worst, worst_of(rail.facts));
  }
  return worst;
}

ExitCode exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReady:
      return ExitCode::kDone;
    case Verdict::kUnknown:
      return ExitCode::kUnknown;
    case Verdict::kWaiting:
    case Verdict::kNotReady:
      return ExitCode::kWaiting;
  }
  return ExitCode::kUnknown;
}

std::string GateReport::why() const {
  const auto worst = verdict();
  if (worst == Verdict::kReady) {
    return peers_answer(rails) ? "the node is proven; its peers answer over every rail"
                               : "the node is proven; its cables are not until a peer answers";
  }
  const auto decides = [worst](const Fact& fact) { return fact.counts && fact.verdict == worst; };
  for (const auto& rail : rails) {
    const auto first = std::ranges::find_if(rail.facts, decides);
    if (first != rail.facts.end()) {
      return fmt::format("{} of {}: {} [{}]", first->name, rail.link, first->measured, first->id);
    }
  }
  // Not ready, and no rail is to blame: then a fact of the node is.
  const auto first = std::ranges::find_if(node, decides);
  return fmt::format("{}: {} [{}]", first->name, first->measured, first->id);
}

GateReport judge(Host& host, View& view, const Node& node, const GateOptions& options) {
  GateReport report;
  for (const auto& [name, wanted] : node.links) {
    if (!wanted.rdma || wanted.owner_host) {
      continue;
    }
    for (const auto& address : wanted.addresses) {
      report.rails.push_back(observe_rail({host, view, node, options}, wanted, address.value));
    }
  }
  observe_peers({host, view, node, options}, report.rails);
  if (report.rails.empty()) {
    report.node.push_back(
        {Verdict::kUnknown, "SR-GATE-012", "rails", "the file gives no rail an address here",
         "name this node's cables in the file, or an RDMA device's link with its address"});
  }
  // One device is enough: the limit is a service's, not a device's.
  const auto with_device =
      std::ranges::find_if(report.rails, [](const auto& rail) { return !rail.device.empty(); });
  if (with_device != report.rails.end() && options.depth != GateOptions::Depth::kLight) {
    if (auto fact = observe_new_service(host, view, node, with_device->device)) {
      report.node.push_back(std::move(*fact));
    }
  }
  std::ranges::move(observe_storage({host, view, node, options}), std::back_inserter(report.node));
  return report;
}

bool keep_measured(const GateReport& earlier, GateReport& report) {
  bool failing = false;
  for (auto& rail : report.rails) {
    const auto before = std::ranges::find_if(earlier.rails, [&](const RailFacts& other) {
      return other.device == rail.device && other.ip == rail.ip;
    });
    if (before != earlier.rails.end()) {
      failing |= keep_fact(kBandwidthFact, before->facts, rail.facts);
    }
  }
  failing |= keep_fact(kServiceFact, earlier.node, report.node);
  return failing;
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReady:
      return "ready";
    case Verdict::kUnknown:
      return "unknown";
    case Verdict::kWaiting:
      return "waiting";
    case Verdict::kNotReady:
      return "not ready";
  }
  return "unknown";
}

}  // namespace spark
