#pragma once
// to_json: a map as `topology --json` has it.

#include <nlohmann/json_fwd.hpp>

#include "drawing/fabric_map.hpp"

namespace spark::cli {

/// `nodes` and `segments` of what there is, without what is gone.
nlohmann::json to_json(const drawing::FabricMap& map);

/// What differs from the other file, one object each.
nlohmann::json changes_json(const drawing::FabricMap& map);

}  // namespace spark::cli
