#pragma once
// look_at_gate: the gate of a node as it is looked at beside the worker, which goes on correcting.
// Only this value crosses.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "config/cluster.hpp"
#include "gate/gate.hpp"

namespace spark {

struct GateObservation {
  GateReport report;
  std::map<std::string, std::uint32_t> speeds;  ///< Mb/s, by link; absent: not known
  Moment at;                                    ///< its end
};

/// Blocks for as long as peers and ports take to answer. `node`: as in select(). Empty: the file
/// has no node for this machine.
std::optional<GateObservation> observe_gate(Host& host, const Cluster& cluster,
                                            const std::string& node, GateOptions::Depth depth);

}  // namespace spark
