#include "plan/step.hpp"

#include <fmt/format.h>

namespace spark::plan {

std::string Step::name() const { return fmt::format("{} {}", kind, key); }

}  // namespace spark::plan
