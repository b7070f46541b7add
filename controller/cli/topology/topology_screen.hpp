#pragma once
// topology_screen: a cluster as a terminal shows it.

#include <string>

#include "cli/terminal.hpp"
#include "drawing/fabric_map.hpp"

namespace spark::cli {

/// A title, a picture of each figure where it fits, each cable with the addresses of its ends, and
/// what differs from the other file. No line is wider than the terminal, but for a word that is.
std::string topology_screen(const drawing::FabricMap& map, const Terminal& terminal);

/// What differs, one thing each; empty: nothing is compared.
std::string changes_text(const drawing::FabricMap& map, const Terminal& terminal);

}  // namespace spark::cli
