#include "gate/gate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "gate/peer_facts.hpp"
#include "gate/rail_facts.hpp"
#include "gate/service_fact.hpp"
#include "gate/storage_facts.hpp"

namespace spark::gate {
namespace {

/// True: it did not hold.
bool keep_fact(std::string_view id, const std::vector<Fact>& earlier, std::vector<Fact>& facts) {
  const auto known = std::ranges::find(earlier, id, &Fact::id);
  if (known == earlier.end() || std::ranges::find(facts, id, &Fact::id) != facts.end()) {
    return false;
  }
  facts.push_back(*known);
  return known->verdict != Verdict::kReady;
}

}  // namespace

GateReport judge(host::Host& host, host::View& view, const config::Node& node,
                 const GateOptions& options) {
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

}  // namespace spark::gate
