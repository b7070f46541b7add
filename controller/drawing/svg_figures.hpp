#pragma once
// Figures of a cluster in an SVG document.

#include "drawing/figures.hpp"
#include "drawing/svg_canvas.hpp"
#include "drawing/svg_node.hpp"

namespace spark::drawing {

/// A line or a ring of nodes, or one alone, in an SVG document. Draws it with its top at `y`,
/// around x = 0; `common` stands elsewhere.
void draw_ladder(SvgCanvas& canvas, const FabricMap& map, const Figure& figure,
                 const EndsByName& ends, int y, const CommonTraits& common);

/// A switch with its nodes in an SVG document. Draws it with its top at `y`, around x = 0;
/// `common` stands elsewhere.
void draw_star(SvgCanvas& canvas, const FabricMap& map, const Figure& figure,
               const EndsByName& ends, int y, const CommonTraits& common);

}  // namespace spark::drawing
