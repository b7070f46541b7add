#pragma once
// findings_json: what `doctor` found, as schema/output/doctor.schema.json has its findings.

#include <nlohmann/json_fwd.hpp>

#include "cli/doctor/doctor.hpp"

namespace spark::cli {

nlohmann::json findings_json(const Examination& examination);

}  // namespace spark::cli
