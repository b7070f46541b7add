// The verb `apply`: plan, show, change, read back, say what is left.

#include "cli/verbs/apply.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <syslog.h>

#include <nlohmann/json.hpp>

#include "apply/recovery.hpp"
#include "apply/transaction.hpp"
#include "cli/held_signals.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/user_name.hpp"
#include "cli/json_output.hpp"
#include "cli/plan/plan_file.hpp"
#include "cli/question.hpp"
#include "cli/text/apply_text.hpp"
#include "cli/text/cable_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/text/plan_text.hpp"
#include "cli/verbs/all_nodes.hpp"
#include "cli/verbs/apply_checks.hpp"
#include "cli/verbs/confirm.hpp"
#include "plan/refusals.hpp"
#include "protocol/paths.hpp"
#include "protocol/source.hpp"
#include "state/node_record.hpp"

namespace spark::cli {
namespace {

struct ApplyArguments {
  std::chrono::milliseconds confirm{0};  ///< 0: no confirmation is waited for
};

/// The plan to apply: from the file, or exactly what a saved plan showed.
std::expected<PlanContext, ExitCode> context_for_apply(const Command& command) {
  if (command.arguments.plan_file.empty()) return reported_context(command);
  const auto saved = read_plan_file(command.arguments.plan_file);
  if (!saved) return std::unexpected(report_error(command, saved.error()));
  Arguments arguments = command.arguments;
  arguments.node = saved->node;
  auto context =
      reported_context({arguments, command.terminal, command.log, command.host},
                       parse_cluster_text(saved->file, saved->text), host::View(command.host));
  if (context && plan::fingerprint(context->plan) != saved->fingerprint) {
    return std::unexpected(report_error(
        command,
        {ErrorCode::kInvalid,
         fmt::format(
             "plan is stale: this machine has changed since '{}' was saved. Look again with "
             "plan, then apply that; nothing was touched",
             command.arguments.plan_file)},
        ExitCode::kRefused));
  }
  return context;
}

ExitCode refuse(const Command& command, PlanContext& context) {
  const auto& plan = context.plan;
  const auto code = plan.status();
  if (command.arguments.json) {
    print_json(command.terminal, verb_of(command), context.file, plan.node, code,
               {{"outcome", "refused"}, {"plan", to_json(plan)}});
    return code;
  }
  command.terminal.complain(shown_plan(command, context));
  command.terminal.complain(fmt::format("{}: refused; nothing was changed\n", plan.node));
  return code;
}

/// `left`: the time for its confirmation; empty: none is waited for. `says_more`: the caller does,
/// and then what is next.
ExitCode finish(const Command& command, PlanContext& context, const apply::Report& report,
                std::optional<std::chrono::milliseconds> left, bool says_more) {
  const auto& plan = context.plan;
  const bool idle = report.outcome == apply::Report::Outcome::kNothingToDo;
  const auto ended = idle ? plan.status() : report.exit_code();
  // An apply that `rollback` does not know of is no success, though nothing is rolled back now.
  const auto code = report.unnoted ? worse(ended, ExitCode::kError) : ended;
  if (command.arguments.json) {
    auto body = to_json(report, plan);
    if (left) body["confirm_until"] = utc_text(later(now(), *left).wall);
    print_json(command.terminal, verb_of(command), context.file, plan.node, code, std::move(body));
    return code;
  }
  const auto& terminal = command.terminal;
  if (report.unnoted) terminal.complain(not_in_history(*report.unnoted));
  const auto text = fitting(closing_text(plan, report), terminal);
  const bool good = idle || report.outcome == apply::Report::Outcome::kApplied;
  if (!good) {
    terminal.complain(text);
    return code;
  }
  terminal.print_always(text);
  if (command.arguments.release) {
    terminal.print_always(
        fitting(fmt::format("{} is released: nothing is set again, also after a reboot, until "
                            "`spark-reconcile apply` or `spark-reconcile resume` on this node\n",
                            plan.node),
                terminal));
  }
  if (left) {
    terminal.print_always(fitting(how_to_confirm(*left, terminal), terminal));
    print_next(terminal, command.arguments, "Keep it", "spark-reconcile confirm");
    return code;
  }
  // Without changes the plan was not shown, so what is skipped is said here.
  if (idle) {
    const bool is_screen = shows_screen(command);
    const bool has_hints = is_screen && !command.arguments.release;
    terminal.print(fitting(has_hints ? cable_hints_text(context, terminal) : "", terminal));
    terminal.print(is_screen ? skipped_screen(plan, false, terminal)
                             : skipped_text(plan, context.file.name, terminal));
  }
  if (!says_more) print_what_is_next(command, code);
  return code;
}

/// The file that is applied, wherever this process happens to stand; of a saved plan, the file that
/// it was made from.
std::string path_of(const Arguments& arguments, const ClusterFile& file) {
  if (!arguments.plan_file.empty()) return file.name;
  if (arguments.file.empty()) {
    return file.name == protocol::kFollowedFile ? protocol::kFollowedFile : protocol::kDefaultFile;
  }
  return arguments.file == "-" ? "<stdin>" : std::filesystem::absolute(arguments.file).string();
}

/// What a confirmation makes possible, as notes instead of refusals: the plan may cut off the
/// machine, since it is rolled back by itself.
std::vector<std::string> allow_what_is_rolled_back(plan::Plan& plan) {
  std::vector<std::string> notes;
  std::erase_if(plan.refusals, [&](const kinds::Refusal& refusal) {
    const bool allowed = refusal.id == plan::kCutsOff;
    if (allowed) notes.push_back(refusal.what);
    return allowed;
  });
  return notes;
}

/// An earlier apply that waits for its confirmation prevents this one. An overdue one is rolled
/// back first.
std::optional<ExitCode> settle_open_journal(const Command& command) {
  const auto open = apply::find_open_journal(command.host.files);
  if (!open) return report_error(command, open.error());
  if (!*open) return std::nullopt;
  const auto& journal = **open;
  const auto moment = now();
  const auto boot = state::boot_id(command.host);
  const bool talks = !command.arguments.json && !runs_again(command);
  switch (const auto state = apply::journal_state_of(command.host.files, journal, moment, boot)) {
    case apply::JournalState::kPending:
      return report_error(command, {ErrorCode::kBusy, still_pending(journal, moment, boot)},
                          ExitCode::kRefused);
    case apply::JournalState::kOverdue:
    case apply::JournalState::kRolledBack:
      if (const auto code =
              roll_back_and_report(command, journal, apply::outcome_of_rollback(state));
          code != ExitCode::kDone) {
        return code;
      }
      return std::nullopt;
    case apply::JournalState::kInterrupted:
      if (talks) {
        command.terminal.print(
            fmt::format("{} was interrupted; what it recorded is kept, and this one resumes from "
                        "here\n",
                        apply::describe(journal)));
      }
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

void print_what_is_next(const Command& command, ExitCode code) {
  auto here = command.arguments;
  here.plan_file.clear();
  if (here.release) {
    print_next(command.terminal, here, "Set it up again", command_line_for("apply", here));
  } else {
    const bool done = code == ExitCode::kDone;
    print_next(command.terminal, here, done ? "Is it ready?" : "What is left",
               command_line_for(done ? "gate" : "plan", here));
  }
}

ExitCode apply_plan(const Command& command, PlanContext& context, const std::string& rolls_back,
                    const AroundApply& around) {
  auto& plan = context.plan;
  if (auto own = is_not_another_node(context.selection); !own) {
    return report_error(command, own.error(), ExitCode::kRefused);
  }
  const auto path = path_of(command.arguments, context.file);
  // Of what is released the daemon sets nothing.
  const auto stays = command.arguments.release ? Result<>{} : daemon_agrees(command, plan, path);
  if (!stays) return report_error(command, stays.error(), ExitCode::kRefused);
  const auto within = own_options<ApplyArguments>(command).confirm;
  const bool confirms = within.count() > 0;
  const auto notes = confirms ? allow_what_is_rolled_back(plan) : std::vector<std::string>{};
  if (!plan.refusals.empty()) return refuse(command, context);
  const bool talks = !command.arguments.json;
  // What waits for its confirmation is rolled back by itself.
  if (!confirms && needs_answer(command, plan)) {
    command.terminal.print_always(fmt::format(
        "{}{}\n", runs_again(command) ? "This machine has changed meanwhile. The plan now:\n" : "",
        shown_plan(command, context)));
    command.question->asked = plan::fingerprint(plan);
    command.question->ends_jobs = !context.uses.empty();
    return ExitCode::kRefused;
  }
  if (talks && !plan.steps.empty() && !runs_again(command)) {
    command.terminal.print(shown_plan(command, context) + "\n");
    for (const auto& note : notes) command.terminal.print(fmt::format("! {}\n", note));
  }
  HeldSignals signals;
  apply::TransactionObserver observer;
  observer.interrupted = [&signals] { return signals.came(); };
  observer.abandons = [&signals] { return signals.insists(); };
  StepLines lines(command, plan);
  observer.begins_step = [&](const plan::Step& step) {
    if (talks) lines.begins(step);
  };
  observer.on_step = [&](const plan::Step& step, const apply::StepReport& step_report,
                         bool rolling_back) {
    if (command.log.shows(LOG_INFO)) {
      command.log.info(log_text(context.file.name, context.plan, step, step_report, rolling_back));
    }
    if (talks) lines.ended(step, step_report, rolling_back);
  };
  state::ApplyRequest request{.file = path,
                              .text = context.file.text,
                              .by = user_name(),
                              .rolls_back = rolls_back,
                              .commit = context.file.commit,
                              .change_id = command.arguments.change_id};
  Moment began;
  if (confirms) {
    request.confirm_within = within;
    observer.begins = [&](const state::Journal& journal) {
      began = journal.began;
      return arm(command, journal);
    };
  }
  // Before the first change: a rollback has to know which node it was.
  if (auto noted = state::remember_node(command.host, plan.node); !noted) {
    return report_error(command, noted.error());
  }
  if (const auto prepared = around.before ? around.before() : Result<>{}; !prepared) {
    return report_error(command, prepared.error());
  }
  const auto report = apply::Transaction(command.host, context.selection.node, plan, context.view,
                                         context.ledger, observer, request)
                          .run();
  const bool applied = report.outcome == apply::Report::Outcome::kApplied;
  const bool is_as_planned = applied || report.outcome == apply::Report::Outcome::kNothingToDo;
  const auto reversed = !is_as_planned && around.reversed ? around.reversed() : Result<>{};
  if (confirms && !report.journal.empty() && !applied) disarm(command.host, report.journal);
  const auto code =
      finish(command, context, report,
             confirms && applied ? std::optional(began.boot + within - now().boot) : std::nullopt,
             !rolls_back.empty());
  if (!reversed) return report_error(command, reversed.error());
  // The daemon applies a file again that is not noted as rolled back.
  const bool is_noted = !report.unnoted || rolls_back.empty();
  return is_noted && tell_daemon(command, report) ? code : ExitCode::kError;
}

namespace {

ExitCode apply(const Command& command) {
  if (command.arguments.all) return offer_named_file(command, AllNodesUse::kApply);
  if (auto may = may_apply(command.host.system); !may) return report_error(command, may.error());
  const auto lock = take_lock(command);
  if (!lock) return lock.error();
  if (const auto ended = settle_open_journal(command)) return *ended;
  auto context = context_for_apply(command);
  if (!context) return context.error();
  return apply_plan(command, *context);
}

constexpr auto kApplyOptions = std::to_array<OptionRow>({
    {"FILE", &Value::kFile, in<&Arguments::plan_file>(), "a plan saved by `plan --out`"},
    {"--confirm",
     &Value::kDuration,
     in<&ApplyArguments::confirm>(),
     "roll everything back unless you confirm in time (5s to 1h); use it when a "
     "change may cut you off",
     {"5s", "1h", "ms"}},
    {"-y,--yes", &Value::kNone, in<&Arguments::yes>(),
     "ask nothing; a terminal asks before a plan that disturbs what runs"},
    kAllOption,
    kWithinOption,
    kExceptOption,
    kChangeIdOption,
});

constexpr auto kApplyMeant = std::to_array<Meaning>({
    {"--force,--overwrite",
     "what is refused would do harm, and the message says what to change first; a question "
     "of the terminal is answered by --yes: `sudo spark-reconcile apply --yes`"},
    {"--interactive,--ask",
     "a terminal asks before what disturbs that which runs: `sudo spark-reconcile apply`"},
});

/// A word behind `apply` is a saved plan, which no file of a cluster is.
void complete_apply(std::vector<std::string>& words) {
  complete_all(words);
  const TypedLine line(words);
  const bool has_file = typed_option(line, "--file") != nullptr;
  if (line.arguments.empty() || has_file || !is_name_of_yaml(line.arguments.front().text)) return;
  const auto& [at, file] = line.arguments.front();
  words = words_with(std::move(words), at, {"-f", file});
}

std::string contradiction_of_apply(const Arguments& arguments, const TypedLine& line) {
  const bool confirms = own_options<ApplyArguments>(arguments).confirm.count() > 0;
  if (auto what = contradiction_of_all(arguments, line, confirms); !what.empty()) return what;
  return !arguments.plan_file.empty() && (!arguments.file.empty() || !arguments.node.empty())
             ? "a saved plan holds its file and its node: leave out -f and -n, or the plan"
             : "";
}

/// Applies what was there before the first apply.
ExitCode release(const Command& command) {
  auto arguments = command.arguments;
  arguments.release = true;
  return apply({arguments, command.terminal, command.log, command.host, command.question});
}

constexpr auto kReleaseOptions = std::to_array<OptionRow>({
    {"-y,--yes", &Value::kNone, in<&Arguments::yes>(),
     "ask nothing; a terminal asks before a plan that disturbs what runs"},
    kChangeIdOption,
});

constexpr auto kReleaseMeant = std::to_array<Meaning>({
    {"--dry-run,--dryrun,--noop,--check,--diff,--simulate",
     "plan is the verb that only looks: `spark-reconcile plan --release`"},
    {"--force,--overwrite",
     "what is refused would do harm, and the message says what to change first; a question "
     "of the terminal is answered by --yes: `sudo spark-reconcile release --yes`"},
});

}  // namespace

extern const VerbSpec kApplyVerb{.name = "apply",
                                 .group = VerbGroup::kStart,
                                 .about = "change what differs, as one transaction",
                                 .first_week = 3,
                                 .needs_root = true,
                                 .file = VerbSpec::OfFile::kActedOn,
                                 .options = own_rows<ApplyArguments>(kApplyOptions),
                                 .meant = kApplyMeant,
                                 .complete = complete_apply,
                                 .check = contradiction_of_apply,
                                 .run = apply};

extern const VerbSpec kReleaseVerb{
    .name = "release",
    .group = VerbGroup::kBack,
    .about = "hand the node back as it was before the first apply, until `apply` or `resume`",
    .needs_root = true,
    .file = VerbSpec::OfFile::kActedOn,
    .options = {kReleaseOptions},
    .meant = kReleaseMeant,
    .run = release};

}  // namespace spark::cli
