#pragma once
// A cluster as a terminal shows it, as lines, and as JSON.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal.hpp"
#include "drawing/fabric_map.hpp"

namespace spark::cli {

/// A title, a picture of each figure where it fits, each cable with the addresses of its ends, and
/// what differs from the other file. No line is wider than the terminal, but for a word that is.
std::string topology_screen(const drawing::FabricMap& map, const Terminal& terminal);

/// What differs, one thing each; empty: nothing is compared.
std::string changes_text(const drawing::FabricMap& map, const Terminal& terminal);

/// One line for each node, each rail of a cable or of a port, and each cage without a cable. The
/// order goes by names, not by the file. What is compared has a sign in front of each line.
std::string topology_lines(const drawing::FabricMap& map, const Terminal& terminal);

/// `nodes` and `segments` of what there is, without what is gone.
nlohmann::json to_json(const drawing::FabricMap& map);

/// What differs from the other file, one object each.
nlohmann::json changes_json(const drawing::FabricMap& map);

}  // namespace spark::cli
