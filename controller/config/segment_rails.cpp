#include "config/segment_rails.hpp"

#include <algorithm>
#include <array>

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

std::uint32_t path_mtu_of(std::uint32_t mtu_bytes) {
  // GRH 40, UDP 8, BTH 12, XRC 4, atomic 28, ICRC 4.
  constexpr std::uint32_t kHeaders = 96;
  const auto payload = mtu_bytes > kHeaders ? mtu_bytes - kHeaders : 0;
  constexpr std::array<std::uint32_t, 5> kSteps{kLargestPathMtu, 2048, 1024, 512, 256};
  const auto step = std::ranges::find_if(kSteps, [&](auto bytes) { return bytes <= payload; });
  return step == kSteps.end() ? 0 : *step;
}

}  // namespace spark::config
