#pragma once
// observe_gate: observes the gate of a node beside the worker, which goes on correcting. Only
// GateObservation crosses the threads.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "config/cluster.hpp"
#include "daemon/common/cluster_state.hpp"
#include "gate/common/cabling_memory.hpp"
#include "gate/gate.hpp"
#include "host/hardware.hpp"

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

}  // namespace spark::daemon
