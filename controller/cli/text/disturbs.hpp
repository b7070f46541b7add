#pragma once
// disturbs_text: whom a plan disturbs, in one sentence.

#include <string>

#include "cli/terminal.hpp"
#include "config/node.hpp"
#include "plan/plan.hpp"
#include "plan/rail_use.hpp"

namespace spark::cli {

/// "both rails of cage 0, briefly; connections of 192.0.2.7"; empty: nobody.
std::string disturbs_text(const plan::Plan& plan, const config::Node& node);

/// "; cuts the route 10.0.0.0/8 via 192.0.2.1 dev enp1s0f0np0"; empty: none of others.
std::string routes_cut_text(const kinds::Effect& effect);

/// Who uses the rails that a plan disturbs, a line each: "! in use: python3 (pid 4711) of alice
/// uses rail 0 of cage 0 (enp1s0f0np0)"; empty: nobody.
std::string users_text(const plan::RailUses& uses, const Terminal& terminal);

}  // namespace spark::cli
