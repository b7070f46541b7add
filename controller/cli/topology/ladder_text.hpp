#pragma once
// ladder_text: a line or a ring of nodes as a picture of characters.

#include <optional>

#include "cli/topology/canvas.hpp"
#include "drawing/figures.hpp"

namespace spark::cli {

/// Boxes with their cages, joined by cables with the subnets of their rails. Empty: it does not fit
/// into that many columns.
std::optional<Canvas> ladder_text(const drawing::FabricMap& map, const drawing::Figure& figure,
                                  std::size_t width);

}  // namespace spark::cli
