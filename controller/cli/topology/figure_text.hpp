#pragma once
// Figures of a cluster as pictures of characters.

#include <cstddef>
#include <optional>

#include "cli/topology/canvas.hpp"
#include "drawing/fabric_map.hpp"
#include "drawing/figures.hpp"

namespace spark::cli {

/// A line or a ring of nodes as a picture of characters. Boxes with their cages, joined by cables
/// with the subnets of their rails. Empty: it does not fit into that many columns.
std::optional<Canvas> ladder_text(const drawing::FabricMap& map, const drawing::Figure& figure,
                                  std::size_t width);

/// A switch with its nodes as a picture of characters. The switch as a bar, with a box for each
/// port above and below it. Empty: it does not fit into that many columns, or has more ports than
/// anybody looks at. What all cables and switches have stands elsewhere.
std::optional<Canvas> star_text(const drawing::FabricMap& map, const drawing::MapSegment& segment,
                                std::size_t width);

}  // namespace spark::cli
