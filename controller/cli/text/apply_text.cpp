#include "cli/text/apply_text.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/text/plan_text.hpp"

namespace spark::cli {
namespace {

std::string took_text(std::chrono::nanoseconds took) {
  return fmt::format("{:.2f} ms", std::chrono::duration<double, std::milli>(took).count());
}

}  // namespace

StepLines::StepLines(const Command& command, const plan::Plan& plan)
    : command_(command), plan_(plan) {
  for (const auto& step : plan.steps) width_ = std::max(width_, columns(printable(step.name())));
}

void StepLines::begins(const plan::Step& step) {
  ++begun_;
  if (shows_screen(command_)) {
    command_.terminal.show_passing(
        fmt::format("  {} of {}: {} …", begun_, plan_.steps.size(), printable(step.name())));
  }
}

void StepLines::ended(const plan::Step& step, const apply::StepReport& report, bool rolling_back) {
  const auto& terminal = command_.terminal;
  const bool is_screen = shows_screen(command_);
  // What is as the screen of the plan says needs no second line.
  if (is_screen && report.is_done() && !rolling_back) {
    if (begun_ == plan_.steps.size()) terminal.show_passing("  reading back …");
    return;
  }
  // A rollback that waits has left the change in place.
  const bool waits = report.waits() && !rolling_back;
  const auto sign = report.is_done() ? terminal.paint(Tone::kGood, rolling_back ? "↩" : "✓")
                    : waits          ? terminal.paint(Tone::kChange, "…")
                                     : terminal.paint(Tone::kBad, "✗");
  const auto name = printable(step.name());
  if (is_screen) {
    terminal.print(hanging(fmt::format("  {} ", sign), name, *terminal.width()));
    if (!report.is_done()) {
      terminal.print(hanging("      ", printable(report.why_not_here()), *terminal.width()));
    }
    return;
  }
  auto line = fmt::format("  {} {}  {}\n", sign, padded(name, width_),
                          terminal.paint(Tone::kFaint, took_text(report.took)));
  if (!report.is_done()) line += fmt::format("      {}\n", printable(report.why_not_here()));
  terminal.print(line);
}

std::string log_text(const std::string& file, const plan::Plan& plan, const plan::Step& step,
                     const apply::StepReport& report, bool rolling_back) {
  const auto cause =
      step.where.line > 0 ? fmt::format("{}:{}", file, step.where.line) : cause_without_line(plan);
  auto before = or_absent(step.before);
  auto after = or_absent(step.after);
  if (rolling_back) std::swap(before, after);
  return fmt::format("{}{}: {} → {} ({}): {}", rolling_back ? "rollback of " : "", step.name(),
                     before, after, cause, report.is_done() ? "done" : report.why_not());
}

std::string closing_text(const plan::Plan& plan, const apply::Report& report) {
  const auto failure = printable(report.failure ? report.failure->what : "");
  switch (report.outcome) {
    case apply::Report::Outcome::kNothingToDo: {
      const auto* const in_sync = plan.status() == ExitCode::kDone ? ", in sync" : "";
      return fmt::format("{}: nothing to do{}; {}\n", plan.node, in_sync, counts_text(plan));
    }
    case apply::Report::Outcome::kNotStarted:
      return fmt::format("{}: not started: {}. Nothing was changed\n", plan.node, failure);
    case apply::Report::Outcome::kRolledBack:
      return fmt::format("{}: {}. Rolled back and read back: nothing is left changed{}{}\n",
                         plan.node, failure, report.stays.empty() ? "" : " but ",
                         fmt::join(report.stays, ", "));
    case apply::Report::Outcome::kRollbackIncomplete: {
      if (report.abandoned) {
        return fmt::format(
            "{}: {}. The rollback was interrupted too; the journal has what is left: "
            "`spark-reconcile rollback` goes on with it, `spark-reconcile apply` goes forward\n",
            plan.node, failure);
      }
      auto text = fmt::format("{}: {}. The rollback is incomplete; this differs from before:\n",
                              plan.node, failure);
      for (const auto& difference : report.differs) {
        text += fmt::format("  {}\n", printable(difference));
      }
      return text;
    }
    case apply::Report::Outcome::kApplied:
      break;
  }
  std::chrono::nanoseconds took = report.read_back_took;
  std::size_t made = 0;
  for (const auto& step : report.steps) {
    took += step.took;
    made += step.waits() ? 0 : 1;
  }
  auto text = fmt::format("{}: {} made and read back in {}; now {}\n", plan.node,
                          counted(made, "change"), took_text(took), counts_text(*report.left));
  if (report.failure) {
    text +=
        fmt::format("The journal stays: {}. `spark-reconcile apply` resumes from here\n", failure);
  }
  return text;
}

}  // namespace spark::cli
