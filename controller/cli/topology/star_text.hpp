#pragma once
// star_text: a switch with its nodes as a picture of characters.

#include <cstddef>
#include <optional>

#include "cli/topology/canvas.hpp"
#include "drawing/fabric_map.hpp"

namespace spark::cli {

/// The switch as a bar, with a box for each port above and below it. Empty: it does not fit into
/// that many columns, or has more ports than anybody looks at.
/// What all cables and switches have stands elsewhere.
std::optional<Canvas> star_text(const drawing::FabricMap& map, const drawing::MapSegment& segment,
                                std::size_t width);

}  // namespace spark::cli
