// The verb `mute`: of which alerts the daemon tells nobody for a while.

#include <algorithm>
#include <expected>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/explain/near_words.hpp"
#include "cli/explain/vocabularies.hpp"
#include "cli/input/user_name.hpp"
#include "cli/json_output.hpp"
#include "cli/node_here.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/muted_alerts.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "host/file_lock.hpp"
#include "protocol/paths.hpp"
#include "state/mutes.hpp"
#include "state/pause.hpp"

namespace spark::cli {
namespace {

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
  const auto& word = command.arguments.mute_id;
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
  const auto& node = command.arguments.mute_node;
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
  const auto& node = command.arguments.mute_node;
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
  if (auto runs = check_daemon_runs(command); !runs) return report_error(command, runs.error());
  const auto start = now();
  const state::Mute mute{.id = alert.id,
                         .alert = alert.name,
                         .node = arguments.mute_node,
                         .since = start,
                         .until = later(start, arguments.mute_for),
                         .reason = arguments.why,
                         .by = user_name(),
                         .asked = {},
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

}  // namespace

ExitCode mute(const Command& command) {
  const auto& arguments = command.arguments;
  if (arguments.mute_id.empty()) return list_mutes(command);
  const auto alert = alert_named(command);
  if (!alert) return alert.error();
  if (auto known = check_node(command); !known) {
    return report_error(command, known.error(), ExitCode::kUsage);
  }
  return arguments.end ? end_mute(command, *alert) : begin_mute(command, *alert);
}

}  // namespace spark::cli
