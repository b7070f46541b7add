#pragma once
// topology_svg: a cluster as one SVG document.

#include <string>

#include "cli/topology/fabric_map.hpp"

namespace spark::cli {

/// Needs nothing beside it: no script, no font, no style sheet. Readable on light and on dark. What
/// differs from another file has a sign and a pattern beside its colour. Cables are in the look of
/// what nobody has proven, since the file proves nothing.
std::string topology_svg(const FabricMap& map);

}  // namespace spark::cli
