#include "daemon/reconcile/observe_gate.hpp"

#include <utility>

#include "daemon/reconcile/observe_cluster.hpp"
#include "host/view.hpp"
#include "state/select.hpp"

namespace spark::daemon {

std::optional<GateObservation> observe_gate(host::Host& host, const config::Cluster& cluster,
                                            const std::string& node, gate::GateOptions::Depth depth,
                                            gate::CablingMemory& cabling, const Clock& clock) {
  host::View view(host);
  const auto selection = state::select(cluster, node, view);
  if (!selection) {
    return std::nullopt;  // the pass says so
  }
  cabling.begin(clock().boot);
  GateObservation look{
      .report = gate::judge(host, view, selection->node, {.depth = depth, .cabling = &cabling}),
      .speeds = {},
      .hardware = {},
      .around = {},
      .at = {},
      .again_in = {}};
  look.again_in = cabling.again_in();
  for (const auto& [name, wanted] : selection->node.links) {
    const auto* hardware = view.hardware_of(name);
    if (hardware != nullptr && hardware->speed) look.speeds.emplace(name, *hardware->speed);
  }
  if (const auto& hardware = view.hardware()) look.hardware = *hardware;
  look.at = clock();
  look.around = observe_cluster(host, cluster, selection->node, look.report, look.at);
  return look;
}

}  // namespace spark::daemon
