#pragma once
// topology_svg: a cluster as one SVG document, or as a picture in a page.

#include <string>

#include "drawing/fabric_map.hpp"

namespace spark::drawing {

/// Needs nothing beside it: no script, no font, no style sheet. Readable on light and on dark. What
/// differs from another file, or is known now, has a sign and a pattern beside its colour.
std::string topology_svg(const FabricMap& map);

/// An element of the class "map", without heading and legend. The page has the rules of
/// svg_style(".map").
std::string topology_in_page(const FabricMap& map);

}  // namespace spark::drawing
