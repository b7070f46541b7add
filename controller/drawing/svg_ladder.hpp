#pragma once
// draw_ladder: a line or a ring of nodes, or one alone, in an SVG document.

#include <string>

#include "drawing/figures.hpp"
#include "drawing/svg_canvas.hpp"
#include "drawing/svg_node.hpp"

namespace spark::drawing {

/// Draws it with its top at `y`, around x = 0; `common` stands elsewhere.
void draw_ladder(SvgCanvas& canvas, const FabricMap& map, const Figure& figure,
                 const EndsShown& ends, int y, const CommonTraits& common);

}  // namespace spark::drawing
