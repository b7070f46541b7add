#include "config/segment_rails.hpp"

#include <algorithm>

namespace spark::config {

std::size_t rails_of_cage(const NodeSpec& node, int cage) {
  constexpr std::size_t kRailsOfSpark = 2;
  const auto named = node.cages.find(cage);
  return named == node.cages.end() ? kRailsOfSpark : named->second.size();
}

std::size_t rails_of_cage(const Cluster& cluster, const CageEnd& end) {
  const auto node = cluster.nodes.find(end.node);
  return rails_of_cage(node == cluster.nodes.end() ? NodeSpec{} : node->second, end.cage);
}

std::size_t rails_at(const Cluster& cluster, const Segment& segment, const CageEnd& end) {
  auto rails = rails_of_cage(cluster, end);
  if (segment.kind == Segment::Kind::kCable) {
    for (const CageEnd& other : segment.ends) {
      rails = std::min(rails, rails_of_cage(cluster, other));
    }
  }
  return rails;
}

}  // namespace spark::config
