// The verb `apply`: plan, show, change, read back, say what is left.

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/paths.hpp"
#include "cli/command.hpp"
#include "cli/held_signals.hpp"
#include "cli/json_output.hpp"
#include "cli/plan_file.hpp"
#include "cli/plan_text.hpp"
#include "cli/situation.hpp"
#include "reconcile/transaction.hpp"
#include "reconcile/undo_log.hpp"

namespace spark {
namespace {

std::string duration_text(std::chrono::nanoseconds took) {
  return fmt::format("{:.2f} ms", std::chrono::duration<double, std::milli>(took).count());
}

Result<> may_apply(System& system) {
  const auto can = system.can_change_network();
  if (!can) return std::unexpected(can.error());
  if (!*can) {
    return fail(
        ErrorCode::kPermission,
        "apply needs CAP_NET_ADMIN: run it as root (validate, plan, status and facts do not "
        "need it); nothing was touched");
  }
  return {};
}

/// A situation to apply: from the file, or exactly what a saved plan showed.
std::expected<Situation, ExitCode> take_in_for_apply(const Command& command) {
  if (command.arguments.plan_file.empty()) {
    return take_in(command);
  }
  const auto saved = read_plan_file(command.arguments.plan_file);
  if (!saved) return std::unexpected(report_error(command, saved.error()));
  Arguments arguments = command.arguments;
  arguments.node = saved->node;
  auto situation = take_in({arguments, command.terminal, command.host},
                           parse_cluster_text(saved->file, saved->text), View(command.host));
  if (situation && fingerprint(situation->plan) != saved->fingerprint) {
    return std::unexpected(report_error(
        command,
        {ErrorCode::kInvalid,
         fmt::format(
             "plan is stale: this machine has changed since '{}' was saved. Look again with "
             "plan, then apply that; nothing was touched",
             command.arguments.plan_file)},
        ExitCode::kRefused));
  }
  return situation;
}

/// The file says that this machine is another node than the one that was asked for.
Result<> is_not_another_node(const Selection& selection) {
  if (selection.matched.empty() || selection.matched == selection.node.name) {
    return {};
  }
  return fail(
      ErrorCode::kInvalid,
      fmt::format("this machine is '{}' by the file, so it is not made '{}'; leave out -n, or "
                  "correct `match:`. Nothing was touched",
                  selection.matched, selection.node.name));
}

/// A line for each step, as it happens; what it changes was shown with the plan.
auto show_progress(const Terminal& terminal, const Plan& plan) {
  std::size_t width = 0;
  for (const auto& step : plan.steps) {
    width = std::max(width, columns(step.name()));
  }
  return [&terminal, width](const Step& step, const StepReport& report, bool undoing) {
    const auto sign = report.result  ? terminal.paint(Tone::kGood, undoing ? "↩" : "✓")
                      : report.waits ? terminal.paint(Tone::kChange, "…")
                                     : terminal.paint(Tone::kBad, "✗");
    auto line = fmt::format("  {} {}  {}\n", sign, padded(step.name(), width),
                            terminal.paint(Tone::kFaint, duration_text(report.took)));
    if (!report.result) {
      line += fmt::format("      {}\n", report.result.error().what);
    }
    terminal.print(line);
  };
}

std::string closing_text(const Plan& plan, const Report& report) {
  const auto failure = report.failure ? report.failure->what : std::string();
  switch (report.outcome) {
    case Report::Outcome::kNothingToDo: {
      const auto* const standing = plan.standing() == ExitCode::kDone ? ", in sync" : "";
      return fmt::format("{}: nothing to do{}; {}\n", plan.node, standing, counts_text(plan));
    }
    case Report::Outcome::kNotStarted:
      return fmt::format("{}: not started: {}. Nothing was changed\n", plan.node, failure);
    case Report::Outcome::kRolledBack:
      return fmt::format("{}: {}. Undone and read back: nothing is left changed{}{}\n", plan.node,
                         failure, report.stays.empty() ? "" : " but ",
                         fmt::join(report.stays, ", "));
    case Report::Outcome::kRollbackIncomplete: {
      auto text = fmt::format("{}: {}. The undo is incomplete; this differs from before:\n",
                              plan.node, failure);
      for (const auto& difference : report.differs) {
        text += fmt::format("  {}\n", difference);
      }
      return text;
    }
    case Report::Outcome::kApplied:
      break;
  }
  std::chrono::nanoseconds took = report.read_back_took;
  std::size_t made = 0;
  for (const auto& step : report.steps) {
    took += step.took;
    made += step.waits ? 0 : 1;
  }
  return fmt::format("{}: {} made and read back in {}; now {}\n", plan.node,
                     counted(made, "change"), duration_text(took), counts_text(*report.left));
}

ExitCode refuse(const Command& command, const Situation& situation) {
  const auto& plan = situation.plan;
  const auto code = plan.standing();
  if (command.arguments.json) {
    print_json(command.terminal, name_of(command.arguments.verb), situation.file, plan.node, code,
               {{"outcome", "refused"}, {"plan", to_json(plan)}});
    return code;
  }
  command.terminal.complain(plan_text(plan, situation.file.name, command.terminal));
  command.terminal.complain(fmt::format("{}: refused; nothing was changed\n", plan.node));
  return code;
}

ExitCode finish(const Command& command, const Situation& situation, const Report& report) {
  const auto& plan = situation.plan;
  const bool idle = report.outcome == Report::Outcome::kNothingToDo;
  const auto code = idle ? plan.standing() : report.exit_code();
  if (command.arguments.json) {
    print_json(command.terminal, name_of(command.arguments.verb), situation.file, plan.node, code,
               to_json(report, plan));
    return code;
  }
  const auto& terminal = command.terminal;
  const auto text = closing_text(plan, report);
  const bool good = idle || report.outcome == Report::Outcome::kApplied;
  if (!good) {
    terminal.complain(text);
    return code;
  }
  terminal.print_always(text);
  // Without changes the plan was not shown, so what is set aside is said here.
  if (idle) {
    terminal.print(aside_text(plan, situation.file.name, terminal));
  }
  return code;
}

}  // namespace

ExitCode apply(const Command& command) {
  if (auto may = may_apply(command.host.system); !may) return report_error(command, may.error());
  const auto lock = command.host.files.lock(kLockFile);
  if (!lock) {
    const bool busy = lock.error().code == ErrorCode::kBusy;
    return report_error(command, lock.error(), busy ? ExitCode::kBusy : ExitCode::kError);
  }
  auto situation = take_in_for_apply(command);
  if (!situation) return situation.error();
  auto& plan = situation->plan;
  if (auto own = is_not_another_node(situation->selection); !own) {
    return report_error(command, own.error(), ExitCode::kRefused);
  }
  if (!plan.objections.empty()) {
    return refuse(command, *situation);
  }
  const bool talks = !command.arguments.json;
  if (const auto& log = situation->view.file(undo_log_path(plan.node)); talks && log && *log) {
    command.terminal.print(
        "an earlier apply was cut off; what it remembered is kept, and this one goes on from "
        "here\n");
  }
  if (talks && !plan.steps.empty()) {
    command.terminal.print(plan_text(plan, situation->file.name, command.terminal) + "\n");
  }
  const HeldSignals signals;
  Watcher watcher{.on_step = [](const Step&, const StepReport&, bool) {},
                  .interrupted = [&signals] { return signals.pending(); }};
  if (talks) {
    watcher.on_step = show_progress(command.terminal, plan);
  }
  const auto report = carry_out(command.host, situation->selection.node, plan, situation->view,
                                situation->ledger, watcher);
  return finish(command, *situation, report);
}

}  // namespace spark
