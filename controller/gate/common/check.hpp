#pragma once
// What a check of the gate works on, and what it adds its facts to.

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/node.hpp"
#include "gate/common/facts.hpp"
#include "host/host.hpp"
#include "host/view.hpp"

namespace spark::gate {

/// What a look at the node works on.
struct GateSnapshot {
  host::Host& host;
  host::View& view;
  const config::Node& node;
  const GateOptions& options;
};

/// One address of one rail, and what the checks found so far.
struct RailObservation {
  const GateSnapshot& snapshot;
  const config::WantedLink& wanted;
  IpPrefix address;
  RailFacts& found;
  const host::LinkInfo* link = nullptr;  ///< null: no such device
  const host::RdmaPort* port = nullptr;  ///< null: the link has none
};

/// What has to be there for a check to make sense; each includes those before.
enum class RailNeed : std::uint8_t { kNothing, kLink, kPort, kGid };

constexpr std::size_t kMostFactsOfACheck = 4;
/// Those of one check; the rest is empty.
using FactKinds = std::array<FactKind, kMostFactsOfACheck>;

/// A check of one address of one rail.
struct RailCheck {
  void (*check)(
      RailObservation& look);  ///< adds its facts to `look.found`; none where it cannot tell
  FactKinds facts;
  RailNeed needs = RailNeed::kLink;
  bool moves_bytes = false;
};

/// A check of the node as a whole, or of all rails at once; it comes after those of the rails.
struct NodeCheck {
  void (*check)(const GateSnapshot& snapshot, GateReport& report);
  FactKinds facts;
};

}  // namespace spark::gate
