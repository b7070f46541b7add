#pragma once
// The JSON of a gate's report, one for all that print it.

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "gate/gate.hpp"

namespace spark::gate {

/// The verdict, the rails and the facts of the node, as schema/output/gate.schema.json has them.
nlohmann::json to_json(const GateReport& report);

/// What another process wrote by `to_json`. Errors: kInvalid.
Result<GateReport> report_from_json(const nlohmann::json& json);

}  // namespace spark::gate
