#include "cli/verbs/status_of_node.hpp"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/cluster/cluster_here.hpp"
#include "cli/cluster/heard_node_text.hpp"
#include "cli/input/named_nodes.hpp"
#include "cli/json_output.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/state_here/told_here.hpp"
#include "cluster/heard_node.hpp"
#include "cluster/make_view.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

/// The node that this machine is, as its daemon says. Empty: none runs, or it keeps no node.
std::string node_of_daemon(const Command& command) {
  if (const auto told = told_here(command.host)) return told->own.node;
  const auto here = node_here(command.host).value_or(std::nullopt);
  return here ? printable(here->state.node) : std::string();
}

/// By the host name or `match:`. Empty: neither says it.
std::string node_by_name(const Command& command, const config::Cluster& cluster) {
  host::View view(command.host);
  const auto own = state::own_node(cluster, view);
  return own && !own->remembered ? own->name : std::string();
}

}  // namespace

std::optional<ExitCode> show_other_node(const Command& command,
                                        const std::vector<cluster::Measured>& measured) {
  const auto& arguments = command.arguments;
  const auto& own_typed = own_options<StatusArguments>(command);
  const auto& name = arguments.node;
  if (name.empty() || own_typed.here || !arguments.facts.empty()) return std::nullopt;
  auto own = node_of_daemon(command);
  if (own == name || (own.empty() && arguments.file == "-")) return std::nullopt;
  const auto file = read_cluster_file(arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  const auto& cluster = file->parsed.cluster;
  if (own.empty() && file->valid()) own = node_by_name(command, cluster);
  if (own.empty() || own == name) return std::nullopt;
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) return code;
  if (const auto none = no_such_node(*file, arguments)) return report_error(command, *none);

  auto [known, why_nothing] = all_known_here(command, *file, own);
  known.measured = measured;
  const auto view = cluster::cluster_view(known);
  auto heard = cluster::heard_node(known, view, name);
  if (!why_nothing.empty()) {
    heard.node.what = Sentence(why_nothing);
    heard.node.follows_from.clear();
    heard.roots = {{.problem = {.node = name,
                                .found = {.name = std::string(diagnosis::kHearsNobody),
                                          .measured = std::move(why_nothing)},
                                .remedy = {.command = "spark-reconcile doctor"}}}};
  }
  const bool is_ready = heard.node.verdict == protocol::Verdict::kReady;
  const auto code = own_typed.exit_code && !is_ready ? ExitCode::kWaiting : ExitCode::kDone;
  const auto& terminal = command.terminal;
  if (arguments.json) {
    print_json(terminal, "status", *file, name, code, {{"heard", TextJsonWriter::write(heard)}});
    return code;
  }
  terminal.print(heard_node_heading(heard, view, terminal) + "\n");
  terminal.print_always(heard_node_verdict(heard, terminal));
  terminal.print(heard_node_text(heard, view, terminal) + "\n" +
                 heard_node_closing(heard, view, terminal));
  return code;
}

}  // namespace spark::cli
