#pragma once
// star_text: a switch with its nodes as a picture of characters.

#include <optional>

#include "cli/topology/canvas.hpp"
#include "drawing/fabric_map.hpp"

namespace spark::cli {

/// The switch as a bar, with a box for each port above and below it. Empty: it does not fit into
/// that many columns, or has more ports than anybody looks at.
/// `common` stands elsewhere.
std::optional<Canvas> star_text(const drawing::MapSegment& segment,
                                const drawing::CommonTraits& common, std::size_t width);

}  // namespace spark::cli
