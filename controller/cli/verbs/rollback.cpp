// The verb `rollback`: rolls back the open journal, or returns to the last good file.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apply/recovery.hpp"
#include "cli/input/verb.hpp"
#include "cli/plan/own_node.hpp"
#include "cli/question.hpp"
#include "cli/text/layout.hpp"
#include "cli/verbs/all_nodes.hpp"
#include "cli/verbs/apply.hpp"
#include "cli/verbs/apply_checks.hpp"
#include "cli/verbs/confirm.hpp"
#include "plan/release.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/in_force_file.hpp"
#include "state/ledger.hpp"

namespace spark::cli {
namespace {

struct RollbackArguments {
  std::optional<std::uint64_t> generation;
  bool overdue = false;
};

constexpr unsigned kFileMode = 0644;
constexpr const char* kRejectedFile = "/etc/spark-reconcile/cluster.yaml.rejected";

/// From which file to which one.
struct Return {
  std::string rejected;  ///< digest; empty: none is, the node was released
  state::Generation good;
};

/// The digest of a file that was rolled back and is still there: nobody has restored the good one,
/// because the rollback was interrupted, or because nobody confirmed the apply.
std::optional<std::string> rejected_and_present(host::Files& files, const std::string& node,
                                                const std::vector<state::Generation>& history,
                                                const state::Generation& current) {
  const auto present = files.read(protocol::kDefaultFile);
  if (!present || !*present) return std::nullopt;
  for (const auto& generation : history | std::views::reverse) {
    // One that somebody left there, and applied a file from elsewhere since, is not asked about.
    const bool is_passed =
        generation.number < current.number && current.file != protocol::kDefaultFile;
    if (is_passed || !state::was_rejected(history, generation.digest)) continue;
    if (const auto text = state::read_generation(files, node, generation.digest);
        text && *text == *present) {
      return generation.digest;
    }
  }
  return std::nullopt;
}

/// Whether this node's own file says just that.
Result<bool> stands(host::Files& files, const std::string& text) {
  const auto present = files.read(protocol::kDefaultFile);
  if (!present) return std::unexpected(present.error());
  return *present == text;
}

/// To the last good file. Empty: there is no earlier one.
Result<std::optional<Return>> last_return(host::Host& host, const std::string& node,
                                          const std::vector<state::Generation>& history,
                                          const state::Generation& current) {
  auto& files = host.files;
  host::View view(host);
  const auto ledger = state::read_ledger(view, node);
  if (!ledger) return std::unexpected(ledger.error());
  if (plan::is_released(*ledger)) return Return{.good = current};
  const auto present = rejected_and_present(files, node, history, current);
  if (present && *present != current.digest) return Return{.rejected = *present, .good = current};
  const auto record = state::read_in_force(files);
  if (!record) return std::unexpected(record.error());
  const auto good = state::last_good_before_now(history, record->state);
  return good ? std::optional(Return{.rejected = current.digest, .good = *good}) : std::nullopt;
}

/// To the generation with the number `asked`, else to the last good file. Empty: there is no
/// earlier file. Errors: no such generation, or its file is the one in force.
Result<std::optional<Return>> find_return(host::Host& host, const std::string& node,
                                          std::optional<std::uint64_t> asked) {
  const auto history = state::read_history(host.files, node);
  if (!history) return std::unexpected(history.error());
  const auto current = state::in_force(*history);
  const auto found = current ? last_return(host, node, *history, *current)
                             : Result<std::optional<Return>>(std::nullopt);
  if (!asked || !found) return found;
  const auto& way = *found;
  auto good = state::generation_with(*history, *asked);
  if (!good) return std::unexpected(good.error());
  const auto in_force = current ? current->digest : std::string();
  auto rejected = way ? way->rejected : in_force;
  if (good->digest == rejected) rejected = in_force;  // what stands there is what is asked for
  if (good->digest == rejected) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format("the file of generation {} is the one in force: nothing to return to", *asked));
  }
  return Return{.rejected = rejected, .good = *std::move(good)};
}

/// Puts the good text where the rejected one stands, which is kept beside it; before the first
/// change, so that nothing has happened where that fails.
Result<> put_file_back(host::Files& files, const std::string& node, const std::string& rejected,
                       const Return& way, const std::string& good) {
  const auto is_plain = files.is_replaceable(protocol::kDefaultFile);
  if (is_plain && !*is_plain) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is a symbolic link, through which nothing is written: copy "
                            "'{}/files/{}.yaml' to where it leads, then `spark-reconcile apply`; "
                            "nothing was changed",
                            protocol::kDefaultFile, state::state_directory(node), way.good.digest));
  }
  auto put = files.write_durably(kRejectedFile, rejected, kFileMode);
  if (put) put = files.write_durably(protocol::kDefaultFile, good, kFileMode);
  if (put) return {};
  return fail(put.error().code, fmt::format("the file cannot be put back: {}; nothing was changed",
                                            put.error().what));
}

std::string way_text(const Return& way) {
  const auto& good = way.good;
  return fmt::format("returns to the file of generation {}: {}, {}, by {}, {:.12}, {}\n",
                     good.number, good.at, in_words(state::name_of(good.outcome)),
                     printable(good.by), good.digest, printable(good.file));
}

ExitCode return_to(const Command& command, const std::string& node, const Return& way) {
  auto& files = command.host.files;
  const auto text = state::text_of(files, node, way.good);
  if (!text) return report_error(command, text.error());
  Arguments arguments = command.arguments;
  arguments.node = node;
  const Command inner{arguments, command.terminal, command.log, command.host, command.question};
  auto file = parse_cluster_text(way.good.file, *text);
  file.commit = way.good.commit;
  auto context = reported_context(inner, std::move(file), host::View(command.host));
  if (!context) return context.error();
  const auto rejected = way.rejected.empty() ? Result<std::optional<std::string>>(std::nullopt)
                                             : state::read_generation(files, node, way.rejected);
  if (!command.arguments.json && !runs_again(command))
    command.terminal.print(fitting(way_text(way), command.terminal));
  const bool gives_way = rejected && *rejected && stands(files, **rejected).value_or(false);
  // Somebody removed it, and the file before stood there.
  const auto present = files.read(protocol::kDefaultFile);
  const bool is_gone = present && !*present && way.good.file == protocol::kDefaultFile;
  // What the daemon follows stays, and is not what this returns to.
  const auto stays = gives_way ? Result<>{} : daemon_agrees(inner, context->plan, "");
  if (!stays) return report_error(command, stays.error(), ExitCode::kRefused);
  AroundApply around;
  // Any other file is its author's.
  if (gives_way) {
    around = {
        .before = [&] { return put_file_back(files, node, **rejected, way, *text); },
        .reversed =
            [&] { return files.write_durably(protocol::kDefaultFile, **rejected, kFileMode); }};
  } else if (is_gone) {
    around = {
        .before = [&] { return files.write_durably(protocol::kDefaultFile, *text, kFileMode); },
        .reversed = [&] { return files.remove(protocol::kDefaultFile); }};
  }
  const auto code = apply_plan(inner, *context, way.rejected, around);
  constexpr std::array kNotApplied{ExitCode::kError, ExitCode::kRefused, ExitCode::kRolledBack,
                                   ExitCode::kRollbackIncomplete, ExitCode::kInterrupted};
  if (std::ranges::find(kNotApplied, code) != kNotApplied.end()) return code;
  if (is_gone && !command.arguments.json) {
    command.terminal.print(fitting(
        fmt::format("'{}' was not there, and is as it was before\n", protocol::kDefaultFile),
        command.terminal));
  } else if (rejected && *rejected && !command.arguments.json) {
    command.terminal.print(
        fitting(gives_way ? fmt::format("'{}' is as it was before; its rejected text is in '{}'\n",
                                        protocol::kDefaultFile, kRejectedFile)
                          : fmt::format("'{}' is not what was applied last, and stays as it is: "
                                        "the next `spark-reconcile apply` applies it\n",
                                        protocol::kDefaultFile),
                command.terminal));
  }
  if (!way.rejected.empty()) print_what_is_next(inner, code);
  return code;
}

/// Offers the text of that generation to all nodes, whose daemons put it into place.
ExitCode return_all(const Command& command, const std::string& node, const Return& way) {
  const auto text = state::text_of(command.host.files, node, way.good);
  if (!text) return report_error(command, text.error());
  if (!command.arguments.json) command.terminal.print(fitting(way_text(way), command.terminal));
  return offer_to_all(command, parse_cluster_text(way.good.file, *text), AllNodesUse::kApply, false,
                      way.rejected);
}

Error nothing_applied() {
  return {ErrorCode::kNotFound,
          "nothing was applied here yet: there is no earlier file to return to"};
}

/// The files of other nodes are no way back: they hold the addresses of others.
ExitCode return_to_last_good(const Command& command) {
  const auto node = find_own_node(command);
  if (!node) return node.error();
  if (node->empty()) {
    const auto nodes = command.host.files.list(protocol::kStateDirectory);
    if (nodes && nodes->empty()) return report_error(command, nothing_applied());
    return report_error(command,
                        {ErrorCode::kNotFound,
                         "there is no earlier file to return to: nothing records which node "
                         "this machine is. Name it with -n"});
  }
  const auto history = state::read_history(command.host.files, *node);
  if (history && history->empty()) return report_error(command, nothing_applied());
  const auto way =
      find_return(command.host, *node, own_options<RollbackArguments>(command).generation);
  if (!way) return report_error(command, way.error());
  if (*way) {
    return command.arguments.all ? return_all(command, *node, **way)
                                 : return_to(command, *node, **way);
  }
  return report_error(
      command, {ErrorCode::kNotFound,
                fmt::format("'{}' has no earlier file to return to: see `spark-reconcile history`. "
                            "To hand the node back: `spark-reconcile release`",
                            *node)});
}

/// What is open was done to this machine, whatever node it was then; -n may say another.
bool is_asked_for(const Arguments& arguments, const state::Journal& journal) {
  return arguments.node.empty() || arguments.node == journal.node;
}

ExitCode rollback(const Command& command) {
  if (command.arguments.all) return return_to_last_good(command);
  const auto& own = own_options<RollbackArguments>(command);
  const auto lock = take_lock(command);
  if (!lock) return lock.error();
  const auto open = apply::find_open_journal(command.host.files);
  if (!open) return report_error(command, open.error());
  const auto state = *open ? apply::journal_state_of(command.host.files, **open, now(),
                                                     state::boot_id(command.host))
                           : apply::JournalState::kInterrupted;
  if (own.overdue && !apply::has_to_go(state)) {
    return report_outcome(command, *open ? (*open)->node : "", ExitCode::kDone,
                          {{"outcome", "nothing_to_do"}}, "nothing is overdue\n");
  }
  if (!*open) return return_to_last_good(command);
  if (!is_asked_for(command.arguments, **open)) {
    return report_error(
        command,
        {ErrorCode::kInvalid,
         fmt::format("{} is open, and was made for '{}', not '{}'; nothing was touched",
                     apply::describe(**open), (*open)->node, command.arguments.node)},
        ExitCode::kRefused);
  }
  if (own.generation) {
    return report_error(command,
                        {ErrorCode::kInvalid,
                         fmt::format("{} is open, and has to go first: `spark-reconcile rollback` "
                                     "without a number; nothing was touched",
                                     apply::describe(**open))},
                        ExitCode::kRefused);
  }
  const auto code = roll_back_and_report(command, **open, apply::outcome_of_rollback(state));
  // Of what is left the report itself says what to do.
  if (code == ExitCode::kDone) {
    print_next(command.terminal, command.arguments, "What differs",
               command_line_for("plan", command.arguments));
  }
  return code;
}

constexpr auto kRollbackOptions = std::to_array<OptionRow>({
    {"-y,--yes", &Value::kNone, in<&Arguments::yes>(),
     "ask nothing; a terminal asks before a plan that disturbs what runs"},
    {.names = "N",
     .value = &Value::kGeneration,
     .member = in<&RollbackArguments::generation>(),
     .about = "return to the file of that generation of `history`",
     .advice = "`sudo spark-reconcile history` lists them, and without one it returns to "
               "the last good file"},
    {"--overdue", &Value::kNone, in<&RollbackArguments::overdue>(),
     "only what was not confirmed in time (for the timer and the boot)"},
    kAllOption,
    kWithinOption,
    kExceptOption,
    kChangeIdOption,
});

constexpr auto kRollbackMeant = std::to_array<Meaning>({
    {"--dry-run,--dryrun,--noop,--check,--diff,--simulate",
     "`sudo spark-reconcile history diff` shows what differs from the file before"},
    {"--force,--overwrite",
     "what is refused would do harm, and the message says what to change first; a question "
     "of the terminal is answered by --yes: `sudo spark-reconcile rollback --yes`"},
});

std::string contradiction_of_rollback(const Arguments& arguments, const TypedLine& line) {
  const auto& own = own_options<RollbackArguments>(arguments);
  if (auto what = contradiction_of_all(arguments, line, own.overdue); !what.empty()) return what;
  return own.generation && own.overdue
             ? "--overdue rolls back what was not confirmed in time: leave out the generation"
             : "";
}

}  // namespace

extern const VerbSpec kRollbackVerb{
    .name = "rollback",
    .group = VerbGroup::kBack,
    .about =
        "roll back what is unconfirmed or interrupted; else return to the last good file of this "
        "node",
    .first_week = 8,
    .needs_root = true,
    .options = own_rows<RollbackArguments>(kRollbackOptions),
    .meant = kRollbackMeant,
    .complete = complete_all,
    .check = contradiction_of_rollback,
    .run = rollback};

}  // namespace spark::cli
