#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gate/common/cable_round.hpp"

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
  auto fact = fails(kCablingFact, Verdict::kNotReady, Detail::kWrongEnd,
                    fmt::format("the cable in {} leads to {}, the file says to {}",
                                plugs.ours.text(), found.text(), plugs.expected.text()),
                    what_to_swap(node, plugs, found));
  fact.plug = found;
  fact.peers = {plugs.expected.node};
  if (found.node != plugs.expected.node && found.node != node.name) {
    fact.peers.push_back(found.node);
  }
  return fact;
}

std::set<std::string> heard_at_once(const std::vector<protocol::HeardHello>& heard,
                                    const config::Node& node, const std::string& link) {
  std::vector<const protocol::HeardHello*> here;
  for (const auto& one : heard) {
    const auto& name = one.hello.node;
    const bool is_other =
        name != node.name &&
        std::ranges::find(node.ends, name, &config::FabricEnd::node) != node.ends.end();
    if (one.link == link && !one.is_silent && one.since_ms != 0 && is_other) here.push_back(&one);
  }
  std::set<std::string> names;
  for (const auto* one : here) {
    const bool is_beside_another =
        std::ranges::any_of(here, [one](const protocol::HeardHello* other) {
          return other->hello.node != one->hello.node && other->heard_ms > one->since_ms &&
                 one->heard_ms > other->since_ms;
        });
    if (is_beside_another) names.insert(one->hello.node);
  }
  return names;
}

Fact switch_for_cable(const CablePlugs& plugs, const std::set<std::string>& others) {
  // The text is the same at each of them.
  auto all = others;
  all.insert(plugs.ours.node);
  auto fact =
      fails(kCablingFact, Verdict::kNotReady, Detail::kSwitchBetween,
            fmt::format("a switch is between {}; the file says a cable", fmt::join(all, ", ")),
            fmt::format("plug the cable in {} straight into {}, or write `switches:`",
                        plugs.ours.text(), plugs.expected.text()));
  fact.peers.assign(others.begin(), others.end());
  fact.counts = false;
  return fact;
}

}  // namespace spark::gate
