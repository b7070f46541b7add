#pragma once
// The `source:` section of agent.yaml.

#include <optional>

#include "config/source.hpp"
#include "config/yaml/read.hpp"

namespace spark::config {

void read_source(Findings& findings, const Value& value, std::optional<SourceSpec>& source);

/// What a section that was read lacks.
void check_source(const SourceSpec& source, Findings& findings);

}  // namespace spark::config
