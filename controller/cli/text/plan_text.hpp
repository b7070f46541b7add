#pragma once
// Plans and steps as text for people.

#include <string>

#include "apply/report.hpp"
#include "cli/terminal.hpp"
#include "plan/plan.hpp"

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

}  // namespace spark::cli
