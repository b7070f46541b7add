// The verb `gate`: is this node ready, and if not, why?

#include "gate/gate.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/daemon_status.hpp"
#include "cli/input/named_nodes.hpp"
#include "cli/json_output.hpp"
#include "cli/text/gate_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/verbs/gate_checklist.hpp"
#include "config/resolve/for_job.hpp"
#include "gate/gate_json.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

/// Some fact that does not hold is fixed by an apply.
bool needs_apply(const gate::GateReport& report) {
  const auto asks = [](const gate::Fact& fact) { return fact.action == protocol::Action::kApply; };
  return std::ranges::any_of(report.node, asks) ||
         std::ranges::any_of(report.rails, [&](const gate::RailFacts& rail) {
           return std::ranges::any_of(rail.facts, asks);
         });
}

/// A ready node can work, and stays ready under the daemon; of another one `doctor` knows more.
void print_next_of_gate(const Command& command, const gate::GateReport& report, ExitCode code) {
  const bool ready = code == ExitCode::kDone;
  if (needs_apply(report)) {
    print_next(command.terminal, command.arguments, "Fix it",
               command_line_for("apply", command.arguments));
    return;
  }
  print_next(command.terminal, command.arguments,
             ready ? "The environment for jobs" : "What prevents it",
             command_line_for(ready ? "export" : "doctor", command.arguments));
  const auto daemon = read_last_status(command.host);
  if (ready && command.arguments.root == "/" && daemon && !*daemon) {
    print_next(command.terminal, command.arguments, "Keep it so",
               "systemctl enable --now spark-reconcile spark-reconcile-rollback");
  }
}

}  // namespace

ExitCode gate(const Command& command) {
  if (command.arguments.checklist) return gate_checklist(command);
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) {
    return code;
  }
  host::View view(command.host);
  const auto selection = state::select(file->parsed.cluster, command.arguments.node, view);
  if (!selection) return report_error(command, selection.error());
  auto node = selection->node;
  if (const auto nodes = named_nodes(command.arguments.names); !nodes.empty()) {
    const auto job = cluster_for(nodes, file->parsed.cluster, node.name);
    if (!job) return report_error(command, job.error());
    const auto of_job = state::select(*job, node.name, view);
    if (!of_job) return report_error(command, of_job.error());
    config::keep_for_job(node, of_job->node);
  }
  const auto& terminal = command.terminal;
  const bool is_screen = shows_screen(command) && !command.arguments.json;
  auto report = gate::judge(command.host, view, node,
                            {.depth = command.arguments.full ? gate::GateOptions::Depth::kFull
                                                             : gate::GateOptions::Depth::kNormal,
                             .begins = [&](const std::string& what) {
                               if (is_screen)
                                 terminal.show_passing(fmt::format("  checking {} …", what));
                             }});
  if (const auto of_daemon = read_last_gate(command.host, node.digest)) {
    gate::keep_cabling(*of_daemon, report);
  }
  const auto code = report.exit_code();
  if (command.arguments.json) {
    print_json(terminal, "gate", *file, node.name, code, gate::to_json(report));
    return code;
  }
  terminal.print(is_screen ? gate_screen(report, node, file->name, terminal)
                           : terminal.paint(Tone::kStrong, fmt::format("{} of cluster '{}'",
                                                                       node.name, node.cluster)) +
                                 "\n" + gate_text(report, terminal) + "\n");
  terminal.print_always(fitting(gate_line(report, node.name, terminal), terminal));
  print_next_of_gate(command, report, code);
  return code;
}

}  // namespace spark::cli
