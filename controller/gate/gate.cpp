#include "gate/gate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gate/rail_facts.hpp"
#include "gate/service_fact.hpp"
#include "gate/storage_facts.hpp"

namespace spark {
namespace {

/// What the file requires of the gate and this version cannot look at.
void add_unheld(const Node& node, GateReport& report) {
  const auto require = [&](const At<ReadyPolicy>& policy, const char* id, const char* name) {
    if (policy.value == ReadyPolicy::kRequire) {
      report.node.push_back({Verdict::kUnknown, id, name, "not held by this version", ""});
    }
  };
  require(node.ready.peers, "SR-GATE-011", "peers");
}

}  // namespace

Verdict GateReport::verdict() const {
  Verdict worst = Verdict::kReady;
  for (const auto& rail : rails) {
    for (const auto& fact : rail.facts) {
      worst = std::max(worst, fact.verdict);
    }
  }
  for (const auto& fact : node) {
    worst = fact.counts ? std::max(worst, fact.verdict) : worst;
  }
  return worst;
}

ExitCode GateReport::exit_code() const {
  switch (verdict()) {
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

GateReport judge(Host& host, View& view, const Node& node, const GateOptions& options) {
  GateReport report;
  for (const auto& [name, wanted] : node.links) {
    if (!wanted.rdma || wanted.owner_host) {
      continue;
    }
    for (const auto& address : wanted.addresses) {
      report.rails.push_back(look_at_rail({host, view, node, options}, wanted, address.value));
    }
  }
  if (report.rails.empty()) {
    report.node.push_back(
        {Verdict::kUnknown, "SR-GATE-012", "rails", "the file gives no rail an address here",
         "name this node's cables in the file, or an RDMA device's link with its address"});
  }
  // One device is enough: the limit is a service's, not a device's.
  const auto with_device =
      std::ranges::find_if(report.rails, [](const auto& rail) { return !rail.device.empty(); });
  if (with_device != report.rails.end()) {
    if (auto fact = look_at_new_service(host, node, with_device->device)) {
      report.node.push_back(std::move(*fact));
    }
  }
  std::ranges::move(look_at_storage({host, view, node, options}), std::back_inserter(report.node));
  add_unheld(node, report);
  return report;
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
