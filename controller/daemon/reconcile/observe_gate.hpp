#pragma once
// observe_gate: observes the gate of a node beside the worker, which goes on correcting. Only
// GateObservation crosses the threads.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"
#include "daemon/common/node_state_names.hpp"
#include "gate/common/cabling_memory.hpp"
#include "gate/gate.hpp"
#include "host/hardware.hpp"
#include "host/host.hpp"

namespace spark::daemon {

struct GateObservation {
  gate::GateReport report;
  std::map<std::string, std::uint32_t> speeds;  ///< Mb/s, by link; absent: not known
  std::optional<host::HardwareFacts> hardware;  ///< empty: it could not be read
  ClusterState around;
  Moment at;  ///< when the observation ended
  /// Until somebody may be asked about a cable; empty: nobody is left to be asked.
  std::optional<std::chrono::milliseconds> again_in;
};

/// Blocks for as long as peers and ports take to answer. `node`: as in select(). `cabling` is what
/// earlier observations know of the cables. Empty: the file has no node for this machine.
std::optional<GateObservation> observe_gate(host::Host& host, const config::Cluster& cluster,
                                            const std::string& node, gate::GateOptions::Depth depth,
                                            gate::CablingMemory& cabling, const Clock& clock = now);

/// What this node knows of its peers beside the verdict. Asks nobody: it reads what the gate,
/// spark-peers and `bench` found out. `at`: when the look of the gate ended.
ClusterState observe_cluster(host::Host& host, const config::Cluster& cluster,
                             const config::Node& node, const gate::GateReport& report,
                             const Moment& at);

/// Behind a large switch the peers are asked by turns: one that was not asked in this look keeps
/// the answer of the last one.
void keep_echoes(const ClusterState& before, ClusterState& now);

}  // namespace spark::daemon
