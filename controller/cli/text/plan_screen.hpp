#pragma once
// A plan as a terminal shows it: by cage and rail, in lines that fit.

#include <string>

#include "cli/plan/plan_context.hpp"
#include "cli/terminal.hpp"

namespace spark::cli {

/// The terminal is a screen, and nobody asked for each step (-v): the functions below are for it.
/// Else plan_text is, which has one line for each step, for files, pipes and `diff`.
bool shows_screen(const Command& command);

/// Everything but the next command: a title, the groups, what is skipped, what is left unchanged,
/// refusals, the counts, and whom it disturbs. `aside` stands at the right of the title.
/// `hints`: lines to read before what is skipped.
std::string plan_screen(const PlanContext& context, std::string_view aside,
                        const Terminal& terminal, const std::string& hints = "");

/// The steps alone: by cage and rail of `node`, then those of the node beside its links. `file` is
/// the file's name.
std::string steps_screen(const plan::Plan& plan, const config::Node& node, const std::string& file,
                         const Terminal& terminal);

/// "spark1 · cluster lab · cluster.yaml · digest 8723836", and `aside`.
std::string title_line(const config::Node& node, const std::string& file, std::string_view aside,
                       const Terminal& terminal);

/// The skipped resources by reason; `names`: each resource, else, of more than a few, how many of
/// each kind.
std::string skipped_screen(const plan::Plan& plan, bool names, const Terminal& terminal);

/// The plan as this terminal is to have it: plan_screen with the hints of its cables, or plan_text.
std::string shown_plan(const Command& command, PlanContext& context, std::string_view aside = "");

}  // namespace spark::cli
