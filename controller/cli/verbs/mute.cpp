// The verb `mute`: of which alerts the daemon tells nobody for a while.

#include <algorithm>
#include <array>
#include <chrono>
#include <expected>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/explain/words.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/user_name.hpp"
#include "cli/input/wrong_line.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/muted_alerts.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "host/file_lock.hpp"
#include "state/pause.hpp"

namespace spark::cli {
namespace {

struct MuteArguments {
  std::string id;                       ///< or the name of an alert; empty: list the mutes
  std::string node;                     ///< empty: about any node
  std::chrono::milliseconds length{0};  ///< --for
  std::string why;
  bool end = false;
};

struct AlertNamed {
  std::string id;
  std::string name;
};

/// "unknown alert 'SparkDrifd', did you mean 'SparkDrift'?"; where none is near, with what to do.
std::string unknown_of(std::string_view kind, const std::string& word,
                       const std::vector<std::string>& words, std::string_view advice) {
  const auto near = near_words(word, words);
  return near.empty() ? fmt::format("unknown {} {}: {}", kind, in_quotes(word), advice)
                      : fmt::format("unknown {} {}, did you mean {}?", kind, in_quotes(word),
                                    in_quotes(near.front()));
}

/// What is wrong is reported; the error is the exit code.
std::expected<AlertNamed, ExitCode> alert_named(const Command& command) {
  const auto& word = own_options<MuteArguments>(command).id;
  const auto explanation = explain_alert(word);
  if (!explanation) {
    return std::unexpected(report_error(
        command,
        {ErrorCode::kInvalid,
         unknown_of("alert", word, alert_words(),
                    "`spark-reconcile mute` takes a name or an id, as SparkDrift or SR-ALERT-003")},
        ExitCode::kUsage));
  }
  // The page has also those that can only be seen from outside.
  if (daemon::alert_rule(explanation->title) == nullptr) {
    return std::unexpected(report_error(
        command,
        {ErrorCode::kInvalid, fmt::format("{} is not the daemon's to tell: Prometheus raises it, "
                                          "so silence it at the Alertmanager",
                                          explanation->title)},
        ExitCode::kUsage));
  }
  return AlertNamed{explanation->word, explanation->title};
}

/// The nodes of the file; where it cannot be read, any name is taken.
Result<> check_node(const Command& command) {
  const auto& node = own_options<MuteArguments>(command).node;
  if (node.empty()) return {};
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file || file->parsed.cluster.nodes.empty()) return {};
  std::vector<std::string> names;
  for (const auto& [name, spec] : file->parsed.cluster.nodes) names.push_back(name);
  if (std::ranges::find(names, node) != names.end()) return {};
  return fail(ErrorCode::kInvalid, unknown_of("node", node, names, "the file has no such node"));
}

/// Errors: also that none runs.
Result<> check_daemon_runs(const Command& command) {
  const auto runs = host::is_held(daemon_lock(command.arguments.root));
  if (!runs) return std::unexpected(runs.error());
  if (*runs) return {};
  return fail(ErrorCode::kNotFound,
              "no daemon runs here, so nobody is told of any alert: start it with `sudo systemctl "
              "enable --now spark-reconcile`");
}

ExitCode list_mutes(const Command& command) {
  if (auto runs = check_daemon_runs(command); !runs) return report_error(command, runs.error());
  const auto here = node_here(command.host);
  if (!here) return report_error(command, here.error());
  const auto muted = *here ? (*here)->state.mutes : std::vector<node_state::MuteRecord>{};
  const auto at = now();
  auto list = nlohmann::json::array();
  for (const auto& one : muted) list.push_back(mute_json(one, at));
  return report_outcome(command, "", ExitCode::kDone, {{"muted", std::move(list)}},
                        fitting(muted_list(muted, at), command.terminal));
}

ExitCode end_mute(const Command& command, const AlertNamed& alert) {
  const auto& node = own_options<MuteArguments>(command).node;
  const auto ended = state::end_mutes(command.host, alert.id, node, now());
  if (!ended) return report_error(command, ended.error());
  const auto text =
      fmt::format("{} {}\n", muted_subject({.id = alert.id, .alert = alert.name, .node = node}),
                  *ended == 0 ? "was not muted" : "is no longer muted; what is raised is told now");
  return report_outcome(command, "", ExitCode::kDone, {{"ended", *ended}},
                        fitting(text, command.terminal));
}

ExitCode begin_mute(const Command& command, const AlertNamed& alert) {
  const auto& arguments = command.arguments;
  const auto& own = own_options<MuteArguments>(command);
  if (auto runs = check_daemon_runs(command); !runs) return report_error(command, runs.error());
  const auto start = now();
  const state::Mute mute{.id = alert.id,
                         .alert = alert.name,
                         .node = own.node,
                         .since = start,
                         .until = later(start, own.length),
                         .reason = own.why,
                         .by = user_name(),
                         .change_id = arguments.change_id};
  if (auto added = state::add_mute(command.host, mute, start); !added) {
    return report_error(command, added.error());
  }
  const auto until = utc_text(mute.until.wall);
  const auto node = mute.node.empty() ? nlohmann::json(nullptr) : nlohmann::json(mute.node);
  const auto text = fmt::format(
      "{} is muted until {}: no receiver is told of it, and what gets worse ends the mute\n",
      muted_subject(mute), until);
  report_outcome(command, "", ExitCode::kDone,
                 {{"id", mute.id}, {"alert", mute.alert}, {"about", node}, {"until", until}},
                 fitting(text, command.terminal));
  print_next(command.terminal, arguments, "End it",
             fmt::format("spark-reconcile mute --end {}", mute.id));
  return ExitCode::kDone;
}

ExitCode mute(const Command& command) {
  const auto& own = own_options<MuteArguments>(command);
  if (own.id.empty()) return list_mutes(command);
  const auto alert = alert_named(command);
  if (!alert) return alert.error();
  if (auto known = check_node(command); !known) {
    return report_error(command, known.error(), ExitCode::kUsage);
  }
  return own.end ? end_mute(command, *alert) : begin_mute(command, *alert);
}

/// No history has it.
constexpr auto kChangeIdOfMute = [] {
  auto option = kChangeIdOption;
  option.about =
      "the id of this change elsewhere, as of a ticket: shown in events (64 characters at most)";
  return option;
}();

constexpr auto kMuteOptions = std::to_array<OptionRow>({
    {"ID", &Value::kAlert, in<&MuteArguments::id>(),
     "the name or the id of an alert (default: list what is muted)"},
    {"NODE", &Value::kNode, in<&MuteArguments::node>(),
     "the alerts about this node alone (default: about any)"},
    {"--for",
     &Value::kDuration,
     in<&MuteArguments::length>(),
     "how long: 2h (168h at most)",
     {"", "168h", "hm"}},
    {"--why", &Value::kText, in<&MuteArguments::why>(),
     "shown wherever the mute is (200 characters at most)"},
    {"--end", &Value::kNone, in<&MuteArguments::end>(),
     "end the mute; what is raised is told at once"},
    kChangeIdOfMute,
});

constexpr auto kMuteMeant = std::to_array<Meaning>({
    {"--list", "without words it lists: `spark-reconcile mute`"},
});

/// Without words it shows what is muted, which all may.
bool mute_is_for_root(const Arguments& arguments) {
  return !own_options<MuteArguments>(arguments).id.empty();
}

void complete_mute(std::vector<std::string>& words) {
  const TypedLine line(words);
  if (line.arguments.empty() || typed_option(line, "--end") != nullptr) return;
  for (const auto* name : {"--for", "--why"}) {
    if (typed_option(line, name) != nullptr) continue;
    std::ranges::copy(with_sample(*option_named(line.verb, name)), std::back_inserter(words));
  }
}

std::string contradiction_of_mute(const Arguments& arguments, const TypedLine& line) {
  const auto& own = own_options<MuteArguments>(arguments);
  const bool has_time = own.length.count() > 0;
  const bool begins = has_time || !own.why.empty() || !arguments.change_id.empty();
  if (own.id.empty()) {
    return begins || own.end
               ? "mute needs the alert: `sudo spark-reconcile mute SparkDrift --for 2h --why TEXT`"
               : "";
  }
  if (own.end) {
    return begins ? "--end ends a mute now: leave out --for, --why and --change-id" : "";
  }
  if (!has_time) {
    // "mute SparkDrift 2h": no node is called so.
    const bool is_time = parse_duration(own.node).has_value();
    return fmt::format(
        "mute needs --for: how long (168h at most): {}",
        line_to_type({"mute", own.id, "--for", is_time ? own.node : std::string("2h")}));
  }
  if (fold_blanks(own.why).empty()) {
    const auto* why = typed_option(line, "--why");
    return fmt::format(
        "mute needs --why: the reason, which is shown wherever the mute is: {}",
        why == nullptr ? line_to_type(line.words) : line_with_value(line, *why, "TEXT"));
  }
  return fault_of_why(own.why);
}

}  // namespace

extern const VerbSpec kMuteVerb{
    .name = "mute",
    .group = VerbGroup::kService,
    .about = "tell nobody of an alert for a while; without words: what is muted, until when, why",
    .needs_root = true,
    .options = own_rows<MuteArguments>(kMuteOptions),
    .meant = kMuteMeant,
    .is_for_root = mute_is_for_root,
    .complete = complete_mute,
    .check = contradiction_of_mute,
    .run = mute};

}  // namespace spark::cli
