#include "cluster/shape.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/cages.hpp"

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

std::string words_of(const Shape& shape) {
  const auto count = shape.nodes.size();
  std::size_t switches = 0;
  std::set<std::string> behind_one;
  for (const auto& segment : shape.segments) {
    if (!segment.is_switch()) continue;
    ++switches;
    for (const auto& end : segment.ends) behind_one.insert(end.node);
  }
  Neighbours neighbours;
  for (const auto& wire : shape.wires()) {
    neighbours[wire.node].insert(wire.other);
    neighbours[wire.other].insert(wire.node);
  }
  if (switches == 0 && count == 2 && neighbours.size() == 2) return "pair";
  if (switches == 0 && is_ring(shape, neighbours)) return fmt::format("ring of {}", count);
  if (switches == 1 && behind_one.size() == count) return fmt::format("switch of {}", count);
  return counted(count, "node");
}

}  // namespace

std::vector<Wire> Shape::wires() const {
  std::vector<Wire> wires;
  for (const auto& segment : segments) {
    for (auto one = segment.ends.begin(); one != segment.ends.end(); ++one) {
      for (auto other = one + 1; other != segment.ends.end(); ++other) {
        if (one->node == other->node) continue;
        wires.push_back({.node = one->node,
                         .cage = one->cage,
                         .other = other->node,
                         .other_cage = other->cage,
                         .rails = std::min(one->rails, other->rails)});
      }
    }
  }
  return wires;
}

bool Shape::is_on_switch(std::string_view node, int cage) const {
  return std::ranges::any_of(segments, [&](const Segment& segment) {
    return segment.is_switch() && std::ranges::any_of(segment.ends, [&](const Segment::End& end) {
             return end.node == node && end.cage == cage;
           });
  });
}

bool Shape::is_away(std::string_view node) const {
  return std::ranges::find(away, node) != away.end();
}

Shape shape_of(const config::Cluster& cluster) {
  Shape shape{.cluster = cluster.name, .words = {}, .nodes = {}, .segments = {}, .away = {}};
  for (const auto& [name, node] : cluster.nodes) {
    shape.nodes.push_back(name);
    if (node.away) shape.away.push_back(name);
  }
  for (const auto& segment : cluster.fabric.segments) {
    Segment of_shape;
    if (segment.kind == config::Segment::Kind::kSwitch) of_shape.name = segment.name;
    for (const auto& end : segment.ends) {
      of_shape.ends.push_back({.node = end.node,
                               .cage = end.cage,
                               .rails = static_cast<int>(config::rails_at(cluster, segment, end))});
    }
    shape.segments.push_back(std::move(of_shape));
  }
  shape.words = words_of(shape);
  return shape;
}

}  // namespace spark::cluster
