#pragma once
// ladder_of: where the nodes of a line or a ring stand, and which cables go between which of them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "drawing/figures.hpp"

namespace spark::drawing {

/// How a cable runs: from the bottom of one node to the top of the one below, or between the two
/// nodes of one row, below or above both.
enum class Run : std::uint8_t { kDown, kBelow, kAbove };

struct LadderNode {
  std::size_t node = 0;    ///< of the map
  std::size_t row = 0;     ///< from the top
  std::size_t column = 0;  ///< 0 or 1
  bool is_wide = false;    ///< has both columns
};

struct LadderCable {
  std::size_t segment = 0;  ///< of the map
  std::size_t from = 0;     ///< of `LadderNode`s: the upper, or the left one
  std::size_t to = 0;
  const MapEnd* from_end = nullptr;
  const MapEnd* to_end = nullptr;
  Run run = Run::kDown;
};

struct Ladder {
  std::vector<LadderNode> nodes;
  std::vector<LadderCable> cables;
  std::size_t rows = 0;
  std::size_t columns = 1;
};

/// A line stands in one column. A ring goes down the left and up the right; one of an odd number
/// has its first node alone on top. `figure` is a line, a ring or a node alone. The ends are those
/// of `map`, which must live as long.
Ladder ladder_of(const FabricMap& map, const Figure& figure);

}  // namespace spark::drawing
