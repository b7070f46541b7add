#pragma once
// read_step: makes a step again of its record in the journal, whatever its kind.

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "plan/step.hpp"

namespace spark::plan {

/// The step that `record` describes; no line asks for it. Errors: kInvalid, saying where the record
/// is wrong.
Result<Step> read_step(const nlohmann::json& record);

}  // namespace spark::plan
