#pragma once
// figures_of: the parts of a cluster that are drawn each by itself, and in which order.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "drawing/fabric_map.hpp"

namespace spark::drawing {

enum class Shape : std::uint8_t {
  kAlone,  ///< one node without a cable
  kLine,   ///< each node is joined to the next by one cable or more: a pair, a chain
  kRing,   ///< the same, and the last to the first; three nodes or more
  kStar,   ///< one switch
};

/// Nodes and segments by their place in the map.
struct Figure {
  Shape shape = Shape::kAlone;
  std::vector<std::size_t> nodes;  ///< along the cables; of a star in the order of the nodes' names
  std::vector<std::size_t> segments;

  bool operator==(const Figure&) const = default;
};

/// Nodes that hang together are one figure. Where they have none of the shapes, each of their
/// cables and switches is a figure of its own.
std::vector<Figure> figures_of(const FabricMap& map);

}  // namespace spark::drawing
