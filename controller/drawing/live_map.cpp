#include "drawing/live_map.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cluster/view_words.hpp"

namespace spark::drawing {
namespace {

using cluster::Standing;
using protocol::Reach;

Live live_of(const cluster::NodeView& node) {
  if (node.is_silent) return {.mark = Mark::kOpen, .words = "silent"};
  if (!node.is_own && !node.heard_ago) return {.mark = Mark::kOpen, .words = "not heard"};
  switch (node.standing) {
    case Standing::kReady:
      return {.mark = Mark::kGood, .words = "ready"};
    case Standing::kWaiting:
      return {.mark = Mark::kWaits, .words = "waiting"};
    case Standing::kNotReady:
      return {.mark = Mark::kBad, .words = "not ready"};
    case Standing::kUnknown:
      break;
  }
  return {.mark = Mark::kOpen, .words = "unknown"};
}

/// Who does not answer is not proven. What is known to be otherwise than the file says is wrong.
Live live_of(const cluster::WayView& way) {
  switch (way.reach) {
    case Reach::kRdma:
      return {.mark = Mark::kGood, .words = {}};
    case Reach::kEcho:
    case Reach::kNotAsked:
      return {.mark = Mark::kOpen,
              .words = way.why.empty() ? std::string(cluster::words_of(way.reach)) : way.why};
    case Reach::kNone:
      break;
  }
  if (way.why.empty() || way.why == "silent") {
    return {.mark = Mark::kOpen, .words = way.why.empty() ? "no answer" : way.why};
  }
  return {.mark = Mark::kBad, .words = way.why};
}

/// The ways that a pair of cages has, rail by rail.
std::vector<Live> live_of_cable(const MapSegment& cable, const cluster::ClusterView& view) {
  std::vector<Live> rails;
  const auto& [one, other] = std::pair(cable.ends.front(), cable.ends.back());
  const auto* pair = view.pair(one.node, other.node);
  if (pair == nullptr) return rails;
  const bool is_swapped = pair->node != one.node;
  for (const auto& way : pair->ways) {
    if (one.cage != (is_swapped ? way.other_cage : way.cage)) continue;
    if (other.cage != (is_swapped ? way.cage : way.other_cage)) continue;
    rails.resize(std::max(rails.size(), static_cast<std::size_t>(way.rail) + 1));
    rails[static_cast<std::size_t>(way.rail)] = live_of(way);
  }
  return rails;
}

/// A port is proven over a rail where one way over it is; it stands as the worst of its rails.
Live live_of_port(const MapEnd& port, const cluster::ClusterView& view) {
  std::map<int, Live> rails;
  for (const auto& pair : view.pairs) {
    for (const auto& way : pair.ways) {
      const bool is_of_port = (pair.node == port.node && way.cage == port.cage) ||
                              (pair.other == port.node && way.other_cage == port.cage);
      if (!is_of_port) continue;
      auto live = live_of(way);
      const auto [rail, is_new] = rails.emplace(way.rail, live);
      if (!is_new && live.mark < rail->second.mark) rail->second = std::move(live);
    }
  }
  const auto worst =
      std::ranges::max_element(rails, {}, [](const auto& rail) { return rail.second.mark; });
  return worst == rails.end() ? Live{} : worst->second;
}

}  // namespace

void add_live(FabricMap& map, const cluster::ClusterView& view) {
  map.known_by = view.nodes.front().name;
  for (auto& node : map.nodes) {
    const auto found = std::ranges::find(view.nodes, node.name, &cluster::NodeView::name);
    if (!node.is_external && found != view.nodes.end()) node.live = live_of(*found);
  }
  for (auto& segment : map.segments) {
    if (segment.is_switch()) {
      for (auto& port : segment.ends) port.live = live_of_port(port, view);
    } else {
      segment.live = live_of_cable(segment, view);
    }
  }
}

}  // namespace spark::drawing
