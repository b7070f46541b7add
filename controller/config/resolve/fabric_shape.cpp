#include <algorithm>
#include <set>
#include <string_view>

#include "config/resolve/nodes.hpp"

namespace spark::config {
namespace {

/// The nodes that are reached over the fabric, and what joins them.
struct Island {
  std::set<std::string_view> nodes;
  std::vector<const Segment*> segments;
};

/// A cable to a host that is no node is for other things than jobs.
bool joins_nodes(const Segment& segment) { return !segment.external; }

Island island_of(const Fabric& fabric, std::string_view node) {
  Island island{.nodes = {node}};
  const auto touches = [&](const Segment& segment) {
    return joins_nodes(segment) && std::ranges::any_of(segment.ends, [&](const CageEnd& end) {
             return island.nodes.contains(end.node);
           });
  };
  for (std::size_t before = 0; before != island.nodes.size();) {
    before = island.nodes.size();
    for (const auto& segment : fabric.segments) {
      if (touches(segment)) {
        for (const auto& end : segment.ends) island.nodes.insert(end.node);
      }
    }
  }
  for (const auto& segment : fabric.segments) {
    if (touches(segment)) island.segments.push_back(&segment);
  }
  return island;
}

bool joins_all(const Segment& segment, const Island& island) {
  std::set<std::string_view> nodes;
  for (const auto& end : segment.ends) nodes.insert(end.node);
  return nodes == island.nodes;
}

bool joins_like_cages(const Segment& segment) {
  return std::ranges::all_of(
      segment.ends, [&](const CageEnd& end) { return end.cage == segment.ends.front().cage; });
}

bool is_long_ring(const Island& island) {
  // Then no node is far from another, and a large switch is not looked at pair by pair.
  if (std::ranges::any_of(island.segments,
                          [&](const Segment* segment) { return joins_all(*segment, island); })) {
    return false;
  }
  std::map<std::string_view, std::set<std::string_view>> neighbours;
  for (const auto* segment : island.segments) {
    for (const auto& one : segment->ends) {
      for (const auto& other : segment->ends) {
        if (one.node != other.node) neighbours[one.node].insert(other.node);
      }
    }
  }
  constexpr std::size_t kOfRing = 2;
  const bool has_far_nodes = std::ranges::any_of(
      neighbours, [&](const auto& node) { return node.second.size() + 1 < island.nodes.size(); });
  return has_far_nodes && std::ranges::all_of(neighbours, [](const auto& node) {
           return node.second.size() >= kOfRing;
         });
}

std::string rail_0_on(const Segment& segment, const Node& node) {
  const auto end = std::ranges::find(segment.ends, node.name, &CageEnd::node);
  const auto rail = std::ranges::find_if(node.links, [&](const auto& link) {
    return link.second.role == LinkRole::kRail && link.second.rail == Rail{end->cage, 0};
  });
  return rail == node.links.end() ? std::string() : rail->first;
}

void add_subnets(const Segment& segment, std::set<IpPrefix>& subnets) {
  const auto& prefixes = segment.subnets.empty() ? segment.ends.front().addresses : segment.subnets;
  for (const auto& prefix : prefixes) subnets.insert(prefix.value.network());
}

}  // namespace

FabricShape shape_of_fabric(const Cluster& cluster, const Node& node) {
  const auto island = island_of(cluster.fabric, node.name);
  FabricShape shape;
  std::set<IpPrefix> subnets;
  for (const auto* segment : island.segments) {
    const bool all = joins_all(*segment, island);
    if (all && shape.shared_link.empty()) shape.shared_link = rail_0_on(*segment, node);
    shape.by_subnet |= !all || (island.segments.size() > 1 && !joins_like_cages(*segment));
    add_subnets(*segment, subnets);
  }
  shape.is_long_ring = is_long_ring(island);
  shape.subnets.assign(subnets.begin(), subnets.end());
  return shape;
}

std::map<std::string, std::string> first_reached(const Fabric& fabric) {
  // Each points to one that it reaches and that comes before it by name; the first to itself.
  std::map<std::string, std::string> earlier;
  const auto first_of = [&](const std::string& node) {
    auto at = earlier.try_emplace(node, node).first;
    while (at->second != at->first) {
      const auto next = earlier.find(at->second);
      at->second = next->second;  // so the way is shorter the next time
      at = next;
    }
    return at;
  };
  for (const auto& segment : fabric.segments) {
    if (!joins_nodes(segment)) continue;
    for (const auto& end : segment.ends) {
      const auto one = first_of(end.node);
      const auto other = first_of(segment.ends.front().node);
      const bool is_before = one->first < other->first;
      (is_before ? other : one)->second = (is_before ? one : other)->first;
    }
  }
  for (auto& [node, first] : earlier) first = first_of(node)->first;
  return earlier;
}

std::vector<std::string> nodes_along_cables(const Fabric& fabric, const std::string& node) {
  const auto island = island_of(fabric, node);
  if (island.segments.empty()) return {node};
  std::map<std::string_view, std::vector<const Segment*>> segments_of;
  for (const auto* segment : island.segments) {
    for (const auto& end : segment->ends) segments_of[end.node].push_back(segment);
  }
  std::vector<std::string> order;
  std::set<std::string_view> seen;
  const auto take = [&](const std::string& name) {
    order.push_back(name);
    seen.insert(name);
  };
  // Ends before this one were all seen: each end is looked at once.
  std::map<const Segment*, std::size_t> next_end;
  const auto neighbour_of = [&](const std::string& name) -> const std::string* {
    for (const auto* segment : segments_of.at(name)) {
      auto& next = next_end[segment];
      while (next < segment->ends.size() && seen.contains(segment->ends[next].node)) ++next;
      if (next < segment->ends.size()) return &segment->ends[next].node;
    }
    return nullptr;
  };
  take(island.segments.front()->ends.front().node);
  while (order.size() < island.nodes.size()) {
    // Where the way ends, it resumes at the last that has another neighbour.
    const std::string* next = nullptr;
    for (auto from = order.rbegin(); next == nullptr && from != order.rend(); ++from) {
      next = neighbour_of(*from);
    }
    take(*next);  // an island hangs together
  }
  return order;
}

}  // namespace spark::config
