#include "cluster/shape.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/segment_rails.hpp"

namespace spark::cluster {
namespace {

using Neighbours = std::map<std::string, std::set<std::string>>;

/// How many nodes a walk along the wires reaches.
std::size_t reached_from(const std::string& first, const Neighbours& neighbours) {
  std::set<std::string> seen{first};
  std::vector<std::string> next{first};
  while (!next.empty()) {
    const auto node = next.back();
    next.pop_back();
    const auto found = neighbours.find(node);
    if (found == neighbours.end()) continue;
    for (const auto& other : found->second) {
      if (seen.insert(other).second) next.push_back(other);
    }
  }
  return seen.size();
}

bool is_ring(const Shape& shape, const Neighbours& neighbours) {
  return shape.nodes.size() > 2 && neighbours.size() == shape.nodes.size() &&
         std::ranges::all_of(neighbours,
                             [](const auto& entry) { return entry.second.size() == 2; }) &&
         reached_from(shape.nodes.front(), neighbours) == shape.nodes.size();
}

std::string words_of(const Shape& shape, std::size_t switches, std::size_t ports) {
  const auto count = shape.nodes.size();
  Neighbours neighbours;
  for (const auto& wire : shape.wires) {
    neighbours[wire.node].insert(wire.other);
    neighbours[wire.other].insert(wire.node);
  }
  if (switches == 0 && count == 2 && neighbours.size() == 2) return "pair";
  if (switches == 0 && is_ring(shape, neighbours)) return fmt::format("ring of {}", count);
  if (switches == 1 && ports == count) return fmt::format("switch of {}", count);
  return counted(count, "node");
}

}  // namespace

Shape shape_of(const config::Cluster& cluster) {
  Shape shape{.cluster = cluster.name, .words = {}, .nodes = {}, .wires = {}};
  for (const auto& [name, node] : cluster.nodes) shape.nodes.push_back(name);
  std::size_t switches = 0;
  std::set<std::string> behind_one;
  for (const auto& segment : cluster.fabric.segments) {
    const bool is_switch = segment.kind == config::Segment::Kind::kSwitch;
    switches += is_switch ? 1 : 0;
    for (auto one = segment.ends.begin(); one != segment.ends.end(); ++one) {
      if (is_switch) behind_one.insert(one->node);
      for (auto other = one + 1; other != segment.ends.end(); ++other) {
        if (one->node == other->node) continue;
        const auto rails = std::min(config::rails_at(cluster, segment, *one),
                                    config::rails_at(cluster, segment, *other));
        shape.wires.push_back({.node = one->node,
                               .cage = one->cage,
                               .other = other->node,
                               .other_cage = other->cage,
                               .rails = static_cast<int>(rails),
                               .behind = is_switch ? segment.name : std::string()});
      }
    }
  }
  shape.words = words_of(shape, switches, behind_one.size());
  return shape;
}

}  // namespace spark::cluster
