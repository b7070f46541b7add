#include "drawing/live_map.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cluster/view_words.hpp"

namespace spark::drawing {
namespace {

using protocol::Reach;

// In the order of the enumerators.
constexpr std::array kVerdictMarks{Mark::kGood, Mark::kOpen, Mark::kWaits, Mark::kBad};
static_assert(kVerdictMarks.size() == protocol::kVerdicts.size(), "each verdict has a mark");

Live live_of(const cluster::NodeView& node) {
  if (node.is_away) return {.mark = Mark::kOpen, .words = "away"};
  if (node.is_silent) return {.mark = Mark::kOpen, .words = "silent"};
  if (!node.is_own && !node.heard_ago) return {.mark = Mark::kOpen, .words = "not heard"};
  return {.mark = kVerdictMarks.at(static_cast<std::size_t>(node.verdict)),
          .words = std::string(name_of(node.verdict))};
}

/// As the table of the ways has it.
Live live_of(const cluster::WayView& way) {
  const auto reach = cluster::shown_reach(way);
  if (reach == Reach::kRdma) return {.mark = Mark::kGood, .words = {}};
  const auto mark = reach == Reach::kNone ? Mark::kBad : Mark::kOpen;
  if (way.fault != cluster::WayFault::kNone) {
    return {.mark = mark, .words = std::string(name_of(way.fault))};
  }
  return {.mark = mark,
          .words = reach == Reach::kNone ? "no answer" : std::string(cluster::words_of(reach))};
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

/// How good the news of one way is for the port: any that is proven says that the port works, and
/// one that fails says more than a silent node at its other end.
int rank_of(Mark mark) { return mark == Mark::kGood ? 0 : mark == Mark::kBad ? 1 : 2; }

/// A port is proven over a rail where one way over it is.
std::vector<Live> live_of_port(const MapEnd& port, const cluster::ClusterView& view) {
  std::vector<Live> rails;
  const auto node = std::ranges::find(view.nodes, port.node, &cluster::NodeView::name);
  const bool is_silent = node != view.nodes.end() && node->is_silent;
  for (const auto& pair : view.pairs) {
    for (const auto& way : pair.ways) {
      const bool is_of_port = (pair.node == port.node && way.cage == port.cage) ||
                              (pair.other == port.node && way.other_cage == port.cage);
      if (!is_of_port) continue;
      const auto rail = static_cast<std::size_t>(way.rail);
      rails.resize(std::max(rails.size(), rail + 1));
      auto live = live_of(way);
      // What the other end lacks is no news of this one.
      if (is_silent && live.mark != Mark::kGood) live = {.mark = Mark::kOpen, .words = "silent"};
      const bool is_first = rails[rail].mark == Mark::kNone;
      if (is_first || rank_of(live.mark) < rank_of(rails[rail].mark)) rails[rail] = std::move(live);
    }
  }
  return rails;
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
