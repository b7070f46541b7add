// The verb `confirm`, and the timer that it calls off.

#include "cli/verbs/confirm.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "apply/recovery.hpp"
#include "apply/rollback.hpp"
#include "cli/input/verb.hpp"
#include "cli/text/layout.hpp"
#include "host/process/helper_program.hpp"
#include "plan/release.hpp"
#include "protocol/paths.hpp"
#include "state/own_directories.hpp"

namespace spark::cli {
namespace {

using std::chrono::milliseconds;

std::string service_of(const std::string& journal_id) {
  return fmt::format("spark-reconcile-rollback-{}.service", journal_id);
}

/// The journal, with the id of the change that ends it where one is given.
state::Journal with_change_id(state::Journal journal, const Arguments& arguments) {
  if (!arguments.change_id.empty()) journal.request.change_id = arguments.change_id;
  return journal;
}

}  // namespace

std::string not_in_history(const Error& error) {
  return fmt::format(
      "this is not recorded in the history: {}. What was done stays; `history` and `rollback` do "
      "not know of it. See that the directory can be written, and that the disk is not full\n",
      error.what);
}

std::expected<host::FileLock, ExitCode> take_lock(const Command& command) {
  if (auto safe = state::check_own_directories(command.host.files); !safe) {
    return std::unexpected(report_error(command, safe.error()));
  }
  auto lock = command.host.files.lock(protocol::kLockFile);
  if (!lock) {
    const bool busy = lock.error().code == ErrorCode::kBusy;
    return std::unexpected(
        report_error(command, lock.error(), busy ? ExitCode::kBusy : ExitCode::kError));
  }
  state::discard_leftovers(command.host.files);
  return std::move(*lock);
}

Result<> arm(const Command& command, const state::Journal& journal) {
  const auto program = host::own_program();
  if (!program) return std::unexpected(program.error());
  host::TransientService service{.name = service_of(journal.id),
                                 .words = {*program, "rollback", "--overdue"}};
  if (command.arguments.root != "/") {
    service.words.insert(service.words.end(), {"--root", command.arguments.root});
  }
  auto armed = command.host.bus.start_timer(service, *journal.request.confirm_within);
  if (!armed) {
    // Whatever the reason: nobody would roll the changes back, so they are not made.
    return fail(ErrorCode::kUnsupported,
                fmt::format("--confirm needs systemd, which would roll the changes back even if "
                            "this process died: {}. Apply from the console without --confirm",
                            armed.error().what));
  }
  return {};
}

void disarm(host::Host& host, const std::string& journal_id) {
  constexpr std::chrono::seconds kDeadline{10};
  const auto service = service_of(journal_id);
  static_cast<void>(host.bus.stop(service.substr(0, service.rfind('.')) + ".timer", kDeadline));
}

ExitCode roll_back_and_report(const Command& command, const state::Journal& open,
                              state::Generation::Outcome outcome) {
  const auto journal = with_change_id(open, command.arguments);
  const auto report =
      apply::roll_back_open(command.host, journal, apply::TransactionObserver{}, outcome);
  if (report.outcome == apply::Report::Outcome::kNotStarted) {
    return report_error(command, *report.failure);
  }
  disarm(command.host, journal.id);
  const bool whole = report.outcome == apply::Report::Outcome::kRolledBack;
  auto text = whole
                  ? fmt::format("{}: rolled back: {} of {}\n", journal.node,
                                counted(report.steps.size(), "change"), apply::describe(journal))
                  : fmt::format(
                        "{}: {} is not completely rolled back; this differs from before:\n"
                        "  {}\nFix what is named, then `spark-reconcile rollback` again\n",
                        journal.node, apply::describe(journal), fmt::join(report.differs, "\n  "));
  if (!report.taken_along.empty()) {
    text +=
        fmt::format("The kernel removed this with it. It was not ours; restore it by hand:\n  {}\n",
                    fmt::join(report.taken_along, "\n  "));
  }
  if (report.unnoted) text += not_in_history(*report.unnoted);
  const auto ended =
      whole && report.taken_along.empty() ? ExitCode::kDone : ExitCode::kRollbackIncomplete;
  return report_outcome(command, journal.node,
                        report.unnoted ? worse(ended, ExitCode::kError) : ended,
                        {{"outcome", whole ? "rolled_back_by_hand" : "incomplete"},
                         {"id", journal.id},
                         {"differs", report.differs},
                         {"taken_along", report.taken_along}},
                        text);
}

std::string still_pending(const state::Journal& journal, const Moment& now,
                          const std::string& boot) {
  const auto left = std::chrono::ceil<std::chrono::seconds>(journal.left(now, boot));
  const auto age = std::chrono::floor<std::chrono::seconds>(now.boot - journal.began.boot);
  return fmt::format(
      "{} waits for its confirmation since {} s, {} s are left: `spark-reconcile "
      "confirm` keeps it, `spark-reconcile rollback` rolls it back",
      apply::describe(journal), age.count(), left.count());
}

std::string how_to_confirm(milliseconds left, const Terminal& terminal) {
  return fmt::format(
      "Everything is rolled back at {} unless you type `{}` by then ({} s); `{}` rolls it back at "
      "once\n",
      utc_text(later(now(), left).wall), typed("spark-reconcile confirm", terminal),
      std::chrono::floor<std::chrono::seconds>(left).count(),
      typed("spark-reconcile rollback", terminal));
}

namespace {

ExitCode confirm(const Command& command) {
  const auto lock = take_lock(command);
  if (!lock) return lock.error();
  const auto open = apply::find_open_journal(command.host.files);
  if (!open) return report_error(command, open.error());
  if (!*open || !(*open)->request.confirm_within) {
    return report_error(
        command, {ErrorCode::kNotFound, *open ? apply::describe(**open) +
                                                    " was interrupted: `spark-reconcile apply` "
                                                    "finishes it, `rollback` rolls it back"
                                              : "nothing waits for a confirmation"});
  }
  const auto journal = with_change_id(**open, command.arguments);
  const auto state =
      apply::journal_state_of(command.host.files, journal, now(), state::boot_id(command.host));
  if (apply::has_to_go(state) || !journal.applied) {
    const auto* why = state == apply::JournalState::kRolledBack ? "it was rolled back"
                      : journal.applied                         ? "its time is over"
                                        : "it was interrupted before its end";
    return report_error(
        command,
        {ErrorCode::kTimeout,
         fmt::format("too late to confirm {}: {}. `spark-reconcile rollback` rolls it back now, if "
                     "nothing else has yet",
                     apply::describe(journal), why)},
        ExitCode::kRefused);
  }
  // Before the journal goes: where this process is interrupted here, the apply still waits.
  const auto outcome = plan::is_released(journal.after) ? state::Generation::Outcome::kReleased
                                                        : state::Generation::Outcome::kApplied;
  if (auto told = apply::tell_in_force(command.host.files, journal, outcome); !told) {
    return report_error(command, told.error());
  }
  const auto noted = apply::note_outcome(command.host.files, journal, outcome);
  // A journal that a power cut brought back would be rolled back at boot.
  if (auto removed = command.host.files.remove_durably(state::path_of(journal)); !removed) {
    return report_error(command, removed.error());
  }
  disarm(command.host, journal.id);
  auto text = fmt::format("{}: confirmed: {} of {} {}\n", journal.node,
                          counted(journal.steps.size(), "change"), apply::describe(journal),
                          journal.steps.size() == 1 ? "stays" : "stay");
  if (!noted) text += not_in_history(noted.error());
  const auto code =
      report_outcome(command, journal.node, noted ? ExitCode::kDone : ExitCode::kError,
                     {{"outcome", "confirmed"}, {"id", journal.id}}, text);
  if (!plan::is_released(journal.after)) {
    print_next(command.terminal, command.arguments, "Is it ready?",
               command_line_for("gate", command.arguments));
  }
  return code;
}

constexpr std::array kConfirmOptions{kChangeIdOption};

}  // namespace

extern const VerbSpec kConfirmVerb{.name = "confirm",
                                   .group = VerbGroup::kStart,
                                   .about = "keep what `apply --confirm` changed",
                                   .needs_root = true,
                                   .options = {kConfirmOptions},
                                   .run = confirm};

}  // namespace spark::cli
