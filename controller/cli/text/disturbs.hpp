#pragma once
// disturbs_text: whom a plan disturbs, in one sentence.

#include <string>

#include "config/node.hpp"
#include "plan/plan.hpp"

namespace spark::cli {

/// "both rails of cage 0, briefly; connections of 192.0.2.7"; empty: nobody.
std::string disturbs_text(const plan::Plan& plan, const config::Node& node);

}  // namespace spark::cli
