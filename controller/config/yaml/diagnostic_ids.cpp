#include "config/yaml/diagnostic_ids.hpp"

#include <utility>

#include <fmt/format.h>

namespace spark::config {

std::string text_of(SpecId id) { return fmt::format("SR-SPEC-{:03}", std::to_underlying(id)); }

}  // namespace spark::config
