#pragma once
// A cluster as a terminal shows it, as lines, and as JSON.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal.hpp"
#include "drawing/fabric_map.hpp"
#include "drawing/map_changes.hpp"

namespace spark::cli {

/// A title, a picture of each figure where it fits, and each cable with the addresses of its ends.
/// No line is wider than the terminal, but for a word that is.
std::string topology_screen(const drawing::FabricMap& map, const Terminal& terminal);

/// What differs from the other file, one thing each, and how many.
std::string changes_text(const std::vector<drawing::MapChange>& changes, const Terminal& terminal);

/// One line for each node, each rail of a cable or of a port, and each cage without a cable. The
/// order goes by names, not by the file.
std::string topology_lines(const drawing::FabricMap& map, const Terminal& terminal);

/// `nodes` and `segments`.
nlohmann::json to_json(const drawing::FabricMap& map);

/// One object each.
nlohmann::json changes_json(const std::vector<drawing::MapChange>& changes);

}  // namespace spark::cli
