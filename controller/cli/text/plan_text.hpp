#pragma once
// Plans and steps as text for people.

#include <string>

#include "apply/report.hpp"
#include "cli/terminal.hpp"
#include "config/node.hpp"
#include "plan/plan.hpp"
#include "plan/rail_use.hpp"

namespace spark::cli {

/// The whole plan but for its closing line: steps with old and new value, the line that asks, what
/// each disturbs; what is skipped and why; what stays; refusals. `file` is the file's name.
std::string plan_text(const plan::Plan& plan, const std::string& file, const Terminal& terminal);

/// Its steps alone.
std::string steps_text(const plan::Plan& plan, const std::string& file, const Terminal& terminal);

/// "4 to add, 8 to change, 1 to remove".
std::string step_counts(const plan::Plan& plan);

/// "4 to add, 8 to change, 1 to remove; 12 in sync; 2 unknown".
std::string counts_text(const plan::Plan& plan);

/// The same for a screen: "2 new, 10 changed, 0 removed; 4 in sync; 9 unknown".
std::string screen_counts(const plan::Plan& plan);

/// The skipped resources, grouped by reason.
std::string skipped_text(const plan::Plan& plan, const std::string& file, const Terminal& terminal);

/// Why a step of this plan is there where no line of the file asks for it.
std::string cause_without_line(const plan::Plan& plan);

/// "down -> up", "/24 (new)", "1500 -> 9000".
std::string change_text(const plan::Step& step);

// disturbs_text: whom a plan disturbs, in one sentence.

/// "both rails of cage 0, briefly; connections of 192.0.2.7"; empty: nobody.
std::string disturbs_text(const plan::Plan& plan, const config::Node& node);

/// "; cuts the route 10.0.0.0/8 via 192.0.2.1 dev enp1s0f0np0"; empty: none of others.
std::string routes_cut_text(const kinds::Effect& effect);

/// Who uses the rails that a plan disturbs, a line each: "! in use: python3 (pid 4711) of alice
/// uses rail 0 of cage 0 (enp1s0f0np0)"; empty: nobody.
std::string users_text(const plan::RailUses& uses, const Terminal& terminal);

}  // namespace spark::cli
