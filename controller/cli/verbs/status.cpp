// The verb `status`: the whole cluster as far as this node was told, or desired against actual for
// this node alone, in one screen.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "cli/bench/last_measured.hpp"
#include "cli/cluster/cluster_here.hpp"
#include "cli/cluster/cluster_text.hpp"
#include "cli/command.hpp"
#include "cli/input/named_nodes.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/wrong_line.hpp"
#include "cli/json_output.hpp"
#include "cli/live_screen.hpp"
#include "cli/plan/plan_context.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/state_here/status_watch.hpp"
#include "cli/state_here/told_here.hpp"
#include "cli/text/all_nodes_text.hpp"
#include "cli/text/daemon_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/muted_alerts.hpp"
#include "cli/text/other_nodes.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/text/plan_text.hpp"
#include "cli/text/status_text.hpp"
#include "cli/verbs/status_of_node.hpp"
#include "cluster/make_view.hpp"
#include "cluster/view_words.hpp"
#include "diagnosis/kinds.hpp"
#include "node_state/problems.hpp"
#include "node_state/status_json.hpp"
#include "plan/release.hpp"
#include "plan/wanted.hpp"
#include "state/bench_results.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

/// The rails that the file gives a peer.
nlohmann::json cables_json(const config::Node& node, const CablesShown& cables) {
  auto all = nlohmann::json::array();
  for (const auto& [name, link] : node.links) {
    if (std::ranges::find(node.peers, name, &config::Peer::link) == node.peers.end()) continue;
    const auto known = cables.find(name);
    const auto cable = known == cables.end() ? gate::Cabling{} : known->second;
    const auto by = cable.by.text();
    all.push_back({{"link", name},
                   {"state", gate::kCablingStates.at(static_cast<std::size_t>(cable.state))},
                   {"by", by.empty() ? nlohmann::json(nullptr) : nlohmann::json(by)}});
  }
  return all;
}

/// What `bench` measured here. Who may not read the results sees none; `doctor` says where they
/// cannot be read.
std::vector<LastMeasured> measured_here(const Command& command) {
  if (!command.arguments.facts.empty()) return {};
  const auto results = state::read_bench_results(command.host.files);
  return results ? last_measured(*results, command.host.files) : std::vector<LastMeasured>{};
}

std::vector<cluster::Measured> rates_of(const std::vector<LastMeasured>& all) {
  std::vector<cluster::Measured> rates;
  for (const auto& one : all) rates.push_back({.peer = one.peer, .bits = one.bits});
  return rates;
}

nlohmann::json measured_json(const std::vector<LastMeasured>& all) {
  auto list = nlohmann::json::array();
  for (const auto& one : all) {
    auto before = nlohmann::json(nullptr);
    if (one.before) before = {{"bits_per_second", one.before->bits}, {"at", one.before->at}};
    list.push_back({{"peer", one.peer},
                    {"bits_per_second", one.bits},
                    {"at", one.at},
                    {"before", std::move(before)}});
  }
  return list;
}

/// What the other nodes of the file told this one. Empty: the daemon has not written anything of
/// them, or it is another machine's facts that are looked at.
std::vector<OtherNode> others_here(const Command& command, const config::Node& node) {
  if (!command.arguments.facts.empty()) return {};
  const auto told = told_here(command.host);
  // Asked for another node than this one, nobody is heard for it.
  if (!told || told->own.node != node.name) return {};
  std::set<std::string> names;
  for (const auto& end : node.ends) names.insert(end.node);
  return other_nodes(*told, names, now().boot);
}

nlohmann::json others_json(const std::vector<OtherNode>& others) {
  auto list = nlohmann::json::array();
  for (const auto& other : others) list.push_back(to_json(other));
  return list;
}

/// What the daemon knows, and an interrupted apply as it is now. Where that cannot be read, people
/// are told why.
std::optional<NodeHere> daemon_here(const Command& command) {
  // Of another machine there are only facts.
  if (!command.arguments.facts.empty()) return std::nullopt;
  auto here = node_here(command.host);
  if (!here) {
    if (!command.arguments.json && !command.arguments.quiet) {
      command.terminal.complain(fmt::format("{}\n", here.error().what));
    }
    return std::nullopt;
  }
  if (auto own = find_unfinished(command.host, command.arguments.root); *here && own) {
    (*here)->state.unfinished = *std::move(own);
  }
  return *std::move(here);
}

std::optional<apply::UnfinishedApply> unfinished_of(const Command& command,
                                                    const std::optional<NodeHere>& here) {
  if (here) return here->state.unfinished;
  return command.arguments.facts.empty() ? unfinished_here(command.host, command.arguments.root)
                                         : std::nullopt;
}

/// What a view of the cluster has too, or the roll-out below it.
bool is_in_view(const cluster::ClusterView& view, const diagnosis::Root& root) {
  return !is_of_this_node_alone(root.problem) ||
         (view.rollout && root.problem.found.name == diagnosis::kRollout);
}

/// The roots of what is wrong here, but those that the view has, where there is one.
std::string roots_here(const NodeHere& here, const cluster::ClusterView* view,
                       const Terminal& terminal) {
  // What it wrote last does not count.
  if (!here.hangs.empty()) return unfinished_text(here.state.unfinished);
  const auto diagnosis = node_state::diagnosis_of(here.state, now());
  std::vector<diagnosis::Root> shown;
  for (const auto& root : diagnosis.roots) {
    // What is skipped stands among what the plan says.
    const bool is_skipped = root.problem.found.detail == protocol::Detail::kSkipped &&
                            is_of_this_node_alone(root.problem);
    if (!is_skipped && (view == nullptr || !is_in_view(*view, root))) shown.push_back(root);
  }
  return roots_text(shown, terminal);
}

/// The verdict, what else the daemon says, and each root of what is wrong here.
std::string own_node_text(NodeHere here, const Terminal& terminal) {
  const auto diagnosis = node_state::diagnosis_of(here.state, now());
  const bool has_root = node_state::decisive_root(here.state, diagnosis) != nullptr;
  if (here.hangs.empty() && has_root) here.why.clear();
  return daemon_text(here) + roots_here(here, nullptr, terminal);
}

nlohmann::json muted_json(const std::optional<NodeHere>& daemon) {
  auto list = nlohmann::json::array();
  if (!daemon) return list;
  for (const auto& muted : daemon->state.mutes) list.push_back(mute_json(muted, now()));
  return list;
}

std::string measured_text(const std::vector<LastMeasured>& all) {
  std::string text;
  for (const auto& one : all) text += fmt::format("measured: {}\n", last_measured_text(one));
  return text;
}

/// The line of all, with what is muted here and an interrupted apply at its end.
void print_brief(const Command& command, std::string line, const std::optional<NodeHere>& here) {
  if (const auto muted = here ? muted_brief(here->state.mutes) : ""; !muted.empty()) {
    line += "; " + muted;
  }
  const auto pending = here && here->state.all_nodes ? pending_text(*here->state.all_nodes) : "";
  if (!pending.empty()) line += "; " + pending;
  if (here && here->state.file.waits_for_all) {
    line += "; the file has changed and waits: `sudo spark-reconcile apply --all`";
  }
  if (const auto unfinished = unfinished_of(command, here)) {
    line += printable(fmt::format("; {} [{}]: {}", unfinished->what, diagnosis::kUnfinishedId,
                                  unfinished->remedy));
  }
  command.terminal.print_always(fitting(line + "\n", command.terminal));
}

/// The node that this machine is: as its daemon says, or else by the file.
Result<std::string> name_of_this_node(const Command& command, const ClusterFile& file,
                                      const std::optional<NodeHere>& here) {
  if (here && !here->state.node.empty()) return printable(here->state.node);
  if (auto told = told_here(command.host)) return std::move(told->own.node);
  host::View view(command.host);
  auto selection = state::select(file.parsed.cluster, {}, view);
  if (!selection) return std::unexpected(std::move(selection.error()));
  return std::move(selection->node.name);
}

/// One line of the cluster, of what the daemons said. Where one runs here, it reads nothing of this
/// machine's kernel.
ExitCode show_brief(const Command& command) {
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) return code;
  const auto here = daemon_here(command);
  const auto own = name_of_this_node(command, *file, here);
  if (!own) return report_error(command, own.error());
  const auto view = cluster::cluster_view(all_known_here(command, *file, *own).known);
  print_brief(command, cluster_brief(view, command.terminal), here);
  return own_options<StatusArguments>(command).exit_code && !cluster::are_all_ready(view)
             ? ExitCode::kWaiting
             : ExitCode::kDone;
}

/// Of those that are far below what they were: the others stand in the table.
std::string fallen_text(std::vector<LastMeasured> all) {
  std::erase_if(all, [](const LastMeasured& one) { return !one.before; });
  return measured_text(all);
}

/// All nodes, as far as this one was told.
void show_cluster(const Command& command, const cluster::ClusterView& view,
                  const PlanContext& context, const std::optional<NodeHere>& here,
                  const std::vector<LastMeasured>& measured) {
  const auto& terminal = command.terminal;
  terminal.print(cluster_heading(view, terminal) + "\n");
  terminal.print(cluster_nodes_text(view, terminal) + "\n");
  terminal.print(cluster_ways_text(view, terminal));
  auto notes = cluster_rollout_text(view, terminal) + further_roots_text(view, terminal) +
               fitting(fallen_text(measured), terminal);
  if (const auto skipped = skipped_here(context.plan); !skipped.empty()) {
    notes += fitting(fmt::format("{} is {}; `spark-reconcile status --here`\n",
                                 view.nodes.front().name, skipped),
                     terminal);
  }
  notes += fitting(here ? daemon_notes(here->state, !view.file.commit.empty()) +
                              roots_here(*here, &view, terminal)
                        : unfinished_text(unfinished_of(command, here)),
                   terminal) +
           users_text(context.uses, terminal);
  terminal.print((notes.empty() ? "" : "\n") + notes + "\n");
  terminal.print_always(cluster_closing(view, terminal));
}

/// What this node knows of the cluster; empty: what is asked for is this node alone, or another.
std::optional<cluster::ClusterView> view_here(const Command& command, const PlanContext& context,
                                              const std::vector<LastMeasured>& measured) {
  auto known = cluster_here(command, context.file, context.selection.node.name);
  if (!known) return std::nullopt;
  known->own.differs = difference_of(context.plan);
  known->measured = rates_of(measured);
  return cluster::cluster_view(*known);
}

ExitCode show_once(const Command& command) {
  if (own_options<StatusArguments>(command).brief) return show_brief(command);
  const auto measured = measured_here(command);
  if (const auto code = show_other_node(command, rates_of(measured))) return *code;
  const auto here = daemon_here(command);
  std::string note;
  auto context = context_here(command, note);
  if (!context) {
    // Where the file is refused, the daemon holds the last good one, or says why it holds none.
    const auto& terminal = command.terminal;
    if (!command.arguments.json) {
      terminal.print(fitting(here && !is_no_node_of_its_file(here->state)
                                 ? own_node_text(*here, terminal)
                                 : unfinished_text(unfinished_of(command, here)),
                             terminal));
    }
    return context.error();
  }
  const auto state = context->plan.status();
  const auto code = own_options<StatusArguments>(command).exit_code ? state : ExitCode::kDone;
  const auto& arguments = command.arguments;
  const bool is_here = own_options<StatusArguments>(command).here;
  const auto view = view_here(command, *context, measured);
  const bool is_detail = is_here || !arguments.node.empty() || arguments.quiet;
  if (view && !is_detail && !arguments.json) {
    show_cluster(command, *view, *context, here, measured);
    return code;
  }
  const auto cables = here ? cables_of(here->state) : CablesShown{};
  if (!arguments.json && !arguments.quiet) command.terminal.complain(note);
  if (arguments.json) {
    auto body = to_json(context->plan);
    body["status"] = static_cast<int>(state);
    body["released"] = plan::is_released(context->ledger);
    body["daemon"] = here ? nlohmann::json{{"verdict", name_of(here->state.verdict)},
                                           {"why", here->why},
                                           {"generated_at", utc_text(here->at.wall)}}
                          : nlohmann::json(nullptr);
    const auto unfinished = unfinished_of(command, here);
    body["unfinished"] = unfinished ? nlohmann::json{{"id", diagnosis::kUnfinishedId},
                                                     {"what", unfinished->what},
                                                     {"remedy", unfinished->remedy}}
                                    : nlohmann::json(nullptr);
    body["routes"] = JsonWriter::write(plan::route_states(context->selection.node, context->plan));
    body["cables"] = cables_json(context->selection.node, cables);
    body["nodes"] = others_json(others_here(command, context->selection.node));
    body["measured"] = measured_json(measured);
    body["cluster"] = view ? document_of(cluster::kViewSchema, *view) : nlohmann::json(nullptr);
    body["muted"] = muted_json(here);
    body["all_nodes"] = here && here->state.all_nodes ? node_state::to_json(*here->state.all_nodes)
                                                      : nlohmann::json(nullptr);
    print_json(command.terminal, "status", context->file, context->plan.node, code,
               std::move(body));
  } else {
    const auto& terminal = command.terminal;
    const bool is_screen = shows_screen(command) && !command.arguments.quiet;
    terminal.print(is_screen ? status_screen(*context, cables, terminal)
                             : status_text(*context, cables, terminal));
    if (!is_here) {
      terminal.print(fitting(
          other_nodes_text(others_here(command, context->selection.node), terminal), terminal));
    }
    terminal.print(fitting(measured_text(measured), terminal));
    terminal.print(fitting(
        here ? own_node_text(*here, terminal) : unfinished_text(unfinished_of(command, here)),
        terminal));
    terminal.print(users_text(context->uses, terminal));
    if (plan::is_released(context->ledger)) {
      terminal.print_always(fitting(released_text(command), terminal));
    } else {
      terminal.print_always(is_screen ? status_closing(context->plan, command)
                                      : status_line(context->plan, command));
    }
  }
  return code;
}

ExitCode status(const Command& command) {
  if (!own_options<StatusArguments>(command).watch) return show_once(command);
  if (!command.terminal.width()) {
    return report_error(command,
                        {ErrorCode::kInvalid,
                         "--watch draws on a terminal, and stdout is none: `spark-reconcile events "
                         "--follow` prints a line for each change"},
                        ExitCode::kUsage);
  }
  // No look at the same name finds it; a file that is not valid may become so.
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (const auto none =
          file && file->valid() ? no_such_node(*file, command.arguments) : std::nullopt) {
    return report_error(command, *none);
  }
  const StatusWatch changes(command.arguments.root);
  LiveScreen screen(command.terminal);
  const auto print = [&](const Terminal& terminal) {
    static_cast<void>(show_once({command.arguments, terminal, command.log, command.host, nullptr}));
  };
  // Ages grow, and what people type in another window changes the kernel and tells nobody.
  while (screen.draw(print)) changes.wait(std::nullopt);
  return ExitCode::kDone;
}

constexpr auto kStatusOptions = std::to_array<OptionRow>({
    {"--exit-code", &Value::kNone, in<&StatusArguments::exit_code>(),
     "exit with the state of the node"},
    {"-w,--watch", &Value::kNone, in<&StatusArguments::watch>(),
     "show it until you press Ctrl-C, as it changes (on a terminal)"},
    {"--brief", &Value::kNone, in<&StatusArguments::brief>(),
     "one line of the whole cluster: how many nodes are ready, and what is wrong"},
    {"--here", &Value::kNone, in<&StatusArguments::here>(),
     "this node alone: its cages, rails and cables, and what differs from the file"},
    {"--engine", &Value::kEngine, kNowhere,
     "instead: what slurm knows of the nodes; what follows is its adapter's"},
});

constexpr auto kStatusMeant = std::to_array<Meaning>({
    {"--all,-a,--cluster,--nodes", "it shows all nodes of the file: `spark-reconcile status`"},
    {"all,cluster,nodes", "it shows all nodes: `spark-reconcile status`"},
});

/// "status --watch 5".
std::string advise_status(const ExtraWord& extra) {
  return has_digits_alone(extra.argument.text) && typed_option(extra.line, "--watch") != nullptr
             ? "--watch has no interval: " + line_with(extra.line, extra.argument.at, {})
             : "";
}

std::string contradiction_of_status(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& own = own_options<StatusArguments>(arguments);
  if (own.watch && (arguments.json || own.exit_code)) {
    return "--watch never ends by itself: leave out --json and --exit-code";
  }
  if (own.brief && (arguments.json || !arguments.node.empty())) {
    return "--brief is a line of the whole cluster for people: leave out --json and -n";
  }
  return own.brief && own.here ? "--brief is a line of the whole cluster: leave out --here" : "";
}

}  // namespace

extern const VerbSpec kStatusVerb{
    .name = "status",
    .group = VerbGroup::kLook,
    .about = "show the cluster: which nodes are ready, what is wrong, and what to do next",
    .first_week = 4,
    .node = VerbSpec::OfNode::kAny,
    .options = own_rows<StatusArguments>(kStatusOptions),
    .meant = kStatusMeant,
    .advise = advise_status,
    .check = contradiction_of_status,
    .run = status};

}  // namespace spark::cli
