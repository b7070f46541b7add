#include "gate/common/cabling_facts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spark::gate {
namespace {

/// Our cage whose cable belongs where this one was found; empty: none of ours.
std::optional<int> cage_for(const config::Node& node, const Plug& found) {
  const auto peer = std::ranges::find_if(node.peers, [&found](const config::Peer& one) {
    return one.segment.empty() && Plug{one.node, one.cage} == found;
  });
  if (peer == node.peers.end()) return std::nullopt;
  const auto& rail = node.links.at(peer->link).rail;
  return rail ? std::optional(rail->cage) : std::nullopt;
}

std::string what_to_swap(const config::Node& node, const CablePlugs& plugs, const Plug& found) {
  const auto& [ours, expected] = plugs;
  if (!found.cage) {
    return fmt::format("find its plug at {}, and plug it into {}", found.node, expected.text());
  }
  // Both plugs at one machine, if that is enough: ours before another's.
  if (const auto cage = cage_for(node, found)) {
    return fmt::format("swap the plugs in {} and {}", ours.text(), Plug{node.name, cage}.text());
  }
  return fmt::format("swap the plugs in {} and {}", found.text(), expected.text());
}

}  // namespace

Fact wrong_cable(const config::Node& node, const CablePlugs& plugs, const Plug& found) {
  return fails(kCablingFact, Verdict::kNotReady,
               fmt::format("the cable in {} leads to {}, the file says to {}", plugs.ours.text(),
                           found.text(), plugs.expected.text()),
               what_to_swap(node, plugs, found));
}

}  // namespace spark::gate
