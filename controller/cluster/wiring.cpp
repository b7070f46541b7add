#include "cluster/wiring.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace spark::cluster {
namespace {

using diagnosis::RailEnd;

/// Of this node it is told over which of its rails each peer is.
std::vector<RailEnd> own_rails(const Known& known) {
  const auto& own = known.told.own;
  std::vector<RailEnd> rails;
  for (const auto& peer : known.told.expected) {
    auto end = std::ranges::find(rails, peer.link, &RailEnd::link);
    if (end == rails.end()) {
      const auto* rail = own.rail(peer.link);
      end = rails.insert(end, {.node = known.own.name,
                               .link = peer.link,
                               .leads_to = {},
                               .is_on_switch = rail != nullptr &&
                                               known.shape.is_on_switch(known.own.name, rail->cage),
                               .has_carrier = rail == nullptr || rail->carrier});
    }
    end->leads_to.insert(peer.node);
  }
  return rails;
}

/// To where that cage leads, by the file.
std::set<std::string> ends_beyond(const std::string& node, int cage,
                                  const std::vector<Wire>& wires) {
  std::set<std::string> nodes;
  for (const auto& wire : wires) {
    if (wire.node == node && wire.cage == cage) nodes.insert(wire.other);
    if (wire.other == node && wire.other_cage == cage) nodes.insert(wire.node);
  }
  return nodes;
}

}  // namespace

diagnosis::Wiring wiring_of(const Known& known, const std::vector<NodeView>& nodes) {
  diagnosis::Wiring wiring{.own = known.own.name, .rails = own_rails(known), .unheard = {}};
  const auto wires = known.shape.wires();
  for (const auto& told : known.told.peers) {
    const auto& node = told.details.node;
    for (const auto& rail : told.details.rails) {
      wiring.rails.push_back({.node = node,
                              .link = rail.link,
                              .leads_to = ends_beyond(node, rail.cage, wires),
                              .is_on_switch = known.shape.is_on_switch(node, rail.cage),
                              .has_carrier = rail.carrier});
    }
  }
  for (const auto& node : nodes) {
    if (node.is_silent || !node.heard_ago) wiring.unheard.insert(node.name);
  }
  return wiring;
}

}  // namespace spark::cluster
