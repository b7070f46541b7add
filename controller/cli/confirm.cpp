// The verbs `confirm` and `rollback`.

#include "cli/confirm.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/paths.hpp"
#include "base/units.hpp"
#include "cli/apply.hpp"
#include "cli/json_output.hpp"
#include "cli/user_name.hpp"
#include "host/helper_program.hpp"
#include "reconcile/history.hpp"
#include "reconcile/open_journal.hpp"
#include "reconcile/own_directories.hpp"

namespace spark {
namespace {

using std::chrono::milliseconds;

std::string service_of(const std::string& journal_id) {
  return fmt::format("spark-reconcile-undo-{}.service", journal_id);
}

ExitCode say(const Command& command, const std::string& node, ExitCode code,
             const nlohmann::json& body, const std::string& text) {
  if (command.arguments.json) {
    print_json(command.terminal, name_of(command.arguments.verb), Cluster{}, node, code, body);
  } else if (code == ExitCode::kDone) {
    command.terminal.print_always(text);
  } else {
    command.terminal.complain(text);
  }
  return code;
}

/// Undoes the journal, notes what became of it, and says so.
ExitCode take_back_and_say(const Command& command, const Journal& journal,
                           Generation::Outcome outcome) {
  const auto report = take_back(command.host, journal, Watcher{}, outcome);
  if (!report) return report_error(command, report.error());
  if (report->outcome == Report::Outcome::kNotStarted) {
    return report_error(command, *report->failure);
  }
  disarm(command.host, journal.id);
  const bool whole = report->outcome == Report::Outcome::kRolledBack;
  auto text = whole ? fmt::format("{}: taken back: {} of {}\n", journal.node,
                                  counted(report->steps.size(), "change"), describe(journal))
                    : fmt::format(
                          "{}: {} is not completely taken back; this differs from before:\n"
                          "  {}\nMend what is named, then `spark-reconcile rollback` again\n",
                          journal.node, describe(journal), fmt::join(report->differs, "\n  "));
  if (report->unnoted) {
    text += fmt::format("the history does not say so: {}\n", report->unnoted->what);
  }
  return say(command, journal.node, whole ? ExitCode::kDone : ExitCode::kRollbackIncomplete,
             {{"outcome", whole ? "taken_back" : "incomplete"},
              {"id", journal.id},
              {"differs", report->differs}},
             text);
}

/// Puts the text of that generation where the rejected one stands, which is kept beside it. Only
/// where it still does, and only where this node's own file is: any other is its author's.
Result<std::string> put_file_back(Files& files, const std::string& path,
                                  const std::string& rejected, const std::string& good) {
  if (path != kDefaultFile) {
    return fmt::format("'{}' stays as it is: it is not this node's own file", path);
  }
  const auto text = files.read(path);
  if (!text) return std::unexpected(text.error());
  if (!*text || **text != rejected) {
    return fmt::format("'{}' is not what was applied last, and stays as it is", path);
  }
  constexpr unsigned kMode = 0644;
  const auto aside = path + ".rejected";
  if (auto kept = files.write_durably(aside, rejected, kMode); !kept) {
    return std::unexpected(kept.error());
  }
  if (auto put = files.write_durably(path, good, kMode); !put) return std::unexpected(put.error());
  return fmt::format("'{}' is again as it was; what it said is in '{}'", path, aside);
}

ExitCode return_to_last_good(const Command& command) {
  View view(command.host);
  const auto nodes = command.host.files.list(kStateDirectory);
  if (!nodes) return report_error(command, nodes.error());
  for (const auto& node : *nodes) {
    const auto history = read_history(command.host.files, node);
    if (!history) return report_error(command, history.error());
    const auto good = last_good_before_now(*history);
    if (!good) {
      continue;
    }
    const auto text = read_generation(command.host.files, node, good->digest);
    if (!text) return report_error(command, text.error());
    if (!*text) {
      return report_error(command, {ErrorCode::kNotFound,
                                    fmt::format("the file of generation {} ({}) is no longer kept: "
                                                "take it from git and apply that",
                                                good->number, good->digest)});
    }
    const auto current = *in_force(*history);
    Arguments arguments = command.arguments;
    arguments.node = node;
    const Command inner{arguments, command.terminal, command.host};
    auto situation = take_in(inner, parse_cluster_text(good->file, **text), View(command.host));
    if (!situation) return situation.error();
    const auto code = apply_situation(inner, *situation);
    if (code == ExitCode::kRefused || code == ExitCode::kRolledBack ||
        code == ExitCode::kRollbackIncomplete || code == ExitCode::kError) {
      return code;
    }
    if (auto noted =
            note_outcome(command.host.files, node, current.id, Generation::Outcome::kTakenBack);
        !noted) {
      return report_error(command, noted.error());
    }
    const auto rejected = read_generation(command.host.files, node, current.digest);
    if (rejected && *rejected) {
      const auto put = put_file_back(command.host.files, current.file, **rejected, **text);
      if (!put) return report_error(command, put.error());
      if (!command.arguments.json) command.terminal.print(*put + "\n");
    }
    return code;
  }
  return report_error(command,
                      {ErrorCode::kNotFound,
                       "there is no earlier file to return to: see `spark-reconcile history`. To "
                       "give everything back: `spark-reconcile release`"});
}

}  // namespace

std::expected<FileLock, ExitCode> take_lock(const Command& command) {
  if (auto safe = check_own_directories(command.host.files); !safe) {
    return std::unexpected(report_error(command, safe.error()));
  }
  auto lock = command.host.files.lock(kLockFile);
  if (!lock) {
    const bool busy = lock.error().code == ErrorCode::kBusy;
    return std::unexpected(
        report_error(command, lock.error(), busy ? ExitCode::kBusy : ExitCode::kError));
  }
  return std::move(*lock);
}

Result<> arm(const Command& command, const Journal& journal) {
  const auto program = own_program();
  if (!program) return std::unexpected(program.error());
  TransientService service{.name = service_of(journal.id),
                           .words = {*program, "rollback", "--overdue"}};
  if (command.arguments.root != "/") {
    service.words.insert(service.words.end(), {"--root", command.arguments.root});
  }
  auto armed = command.host.bus.start_timer(service, *journal.wish.confirm_within);
  if (!armed) {
    return fail(armed.error().code,
                fmt::format("--confirm needs systemd, which would take the changes back even if "
                            "this process died: {}. Apply from the console without --confirm",
                            armed.error().what));
  }
  return {};
}

void disarm(Host& host, const std::string& journal_id) {
  constexpr std::chrono::seconds kDeadline{10};
  const auto service = service_of(journal_id);
  static_cast<void>(host.bus.stop(service.substr(0, service.rfind('.')) + ".timer", kDeadline));
}

ExitCode take_back_overdue(const Command& command, const Journal& journal) {
  return take_back_and_say(command, journal, Generation::Outcome::kUnconfirmed);
}

std::string still_pending(const Journal& journal, const Moment& now, const std::string& boot) {
  const auto left = std::chrono::ceil<std::chrono::seconds>(journal.left(now, boot));
  const auto age = std::chrono::floor<std::chrono::seconds>(now.boot - journal.began.boot);
  return fmt::format(
      "{} waits for its confirmation since {} s, {} s are left: `spark-reconcile "
      "confirm` keeps it, `spark-reconcile rollback` takes it back",
      describe(journal), age.count(), left.count());
}

std::string how_to_confirm(milliseconds left) {
  return fmt::format(
      "All of it is taken back at {} unless you type `spark-reconcile confirm` by "
      "then ({} s); `spark-reconcile rollback` takes it back at once\n",
      utc_text(later(now(), left).wall), std::chrono::floor<std::chrono::seconds>(left).count());
}

ExitCode confirm(const Command& command) {
  const auto lock = take_lock(command);
  if (!lock) return lock.error();
  const auto open = find_open_journal(command.host.files);
  if (!open) return report_error(command, open.error());
  if (!*open || !(*open)->wish.confirm_within) {
    return report_error(
        command,
        {ErrorCode::kNotFound, *open ? describe(**open) + " was cut off: `spark-reconcile apply` "
                                                          "finishes it, `rollback` takes it back"
                                     : "nothing waits for a confirmation"});
  }
  const auto& journal = **open;
  if (standing_of(journal, now(), boot_id(command.host)) == Standing::kOverdue ||
      !journal.applied) {
    return report_error(
        command,
        {ErrorCode::kTimeout,
         fmt::format("{} is not to be confirmed any more: {}. `spark-reconcile rollback` takes it "
                     "back now, if nothing else has yet",
                     describe(journal),
                     journal.applied ? "its time is over" : "it was cut off before its end")},
        ExitCode::kRefused);
  }
  // Before the journal goes: whoever is cut off here is asked again.
  const auto noted = note_outcome(command.host.files, journal, Generation::Outcome::kApplied);
  if (auto removed = remove_journal(command.host.files, journal.node); !removed) {
    return report_error(command, removed.error());
  }
  disarm(command.host, journal.id);
  auto text = fmt::format("{}: confirmed: {} of {} stay\n", journal.node,
                          counted(journal.steps.size(), "change"), describe(journal));
  if (!noted) text += fmt::format("the history does not say so: {}\n", noted.error().what);
  return say(command, journal.node, ExitCode::kDone, {{"outcome", "confirmed"}, {"id", journal.id}},
             text);
}

ExitCode rollback(const Command& command) {
  const auto lock = take_lock(command);
  if (!lock) return lock.error();
  const auto open = find_open_journal(command.host.files);
  if (!open) return report_error(command, open.error());
  if (!*open) {
    return command.arguments.overdue ? say(command, "", ExitCode::kDone,
                                           {{"outcome", "nothing_to_do"}}, "nothing is overdue\n")
                                     : return_to_last_good(command);
  }
  const auto standing = standing_of(**open, now(), boot_id(command.host));
  if (command.arguments.overdue && standing != Standing::kOverdue) {
    return say(command, (*open)->node, ExitCode::kDone, {{"outcome", "nothing_to_do"}},
               "nothing is overdue\n");
  }
  return take_back_and_say(command, **open,
                           standing == Standing::kOverdue ? Generation::Outcome::kUnconfirmed
                                                          : Generation::Outcome::kTakenBack);
}

}  // namespace spark
