// The verb `gate`: is this node ready, and if not, why?

#include "gate/gate.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "cli/command.hpp"
#include "cli/input/named_nodes.hpp"
#include "cli/input/verb.hpp"
#include "cli/json_output.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/gate_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/verbs/gate_checklist.hpp"
#include "config/resolve/nodes.hpp"
#include "gate/common/cabling_memory.hpp"
#include "host/file_lock.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

struct GateArguments {
  std::string names;  ///< --nodes
  bool full = false;
  bool checklist = false;
  std::string out;
};

/// For so long a person waits for what only some time after the carrier may be asked.
constexpr std::chrono::seconds kLongestRound{10};
/// Containers that start make one event after another: not each is worth a look.
constexpr std::chrono::seconds kLookRest{1};

/// "still asking: who is at the other end of enp1s0f0np0?"
std::string open_question(const gate::GateReport& report) {
  std::vector<std::string> links;
  for (const auto& rail : report.rails) {
    const auto* const cabling = rail.find(gate::kCablingFact.id);
    if (cabling != nullptr && cabling->verdict != gate::Verdict::kReady) links.push_back(rail.link);
  }
  return links.empty()
             ? std::string("still asking: does another host have our addresses?")
             : fmt::format("still asking: who is at the other end of {}?", fmt::join(links, ", "));
}

/// Until then, or the kernel says that something has changed. False: nobody can be listened to.
bool wait_until(std::chrono::milliseconds due, host::Netlink& netlink) {
  const auto earliest = std::min(due, now().boot + kLookRest);
  do {
    if (!netlink.wait_for_event(std::max(due - now().boot, std::chrono::milliseconds(0)))) {
      return false;
    }
  } while (now().boot < earliest);
  return true;
}

/// Finds out about the cables what a daemon would: light looks, each when the memory says that
/// somebody may be asked, or the kernel that something has changed.
gate::GateReport ask_on(const Command& command, const config::Node& node, Moment began,
                        gate::CablingMemory& cabling, gate::GateReport report) {
  const auto& terminal = command.terminal;
  const auto end = began.boot + kLongestRound;
  std::string shown;
  for (auto again = cabling.again_in(); again && cabling.now() + *again < end;
       again = cabling.again_in()) {
    const auto due = cabling.now() + *again;
    if (auto text = open_question(report); text != shown && !command.arguments.quiet) {
      if (const auto width = terminal.error_width()) {
        terminal.complain(in_lines(text + "\n", width));
      }
      shown = std::move(text);
    }
    if (!command.host.netlink.watch() || !wait_until(due, command.host.netlink)) break;
    host::View view(command.host);
    cabling.begin(now().boot);
    auto later = gate::judge(command.host, view, node,
                             {.depth = gate::GateOptions::Depth::kLight, .cabling = &cabling});
    gate::keep_measured(report, later);
    report = std::move(later);
  }
  return report;
}

gate::GateReport judge_here(const Command& command, host::View& view, const config::Node& node,
                            bool is_screen) {
  // Beside a daemon nobody else asks, and without one only root can.
  const auto here = node_here(command.host).value_or(std::nullopt);
  const bool asks =
      geteuid() == 0 && ((here && !here->hangs.empty()) ||
                         !host::is_held(daemon_lock(command.arguments.root)).value_or(true));
  const auto began = now();
  gate::CablingMemory cabling;
  cabling.begin(began.boot);
  auto report = gate::judge(
      command.host, view, node,
      {.depth = own_options<GateArguments>(command).full ? gate::GateOptions::Depth::kFull
                                                         : gate::GateOptions::Depth::kNormal,
       .cabling = asks ? &cabling : nullptr,
       .begins = [&](const std::string& what) {
         if (is_screen) {
           command.terminal.show_passing(fmt::format("  checking {} …", what));
         }
       }});
  if (asks) return ask_on(command, node, began, cabling, std::move(report));
  if (const auto of_daemon = read_last_gate(command.host, node.digest)) {
    gate::keep_cabling(*of_daemon, report);
  }
  return report;
}

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
  const auto daemon = node_here(command.host);
  if (ready && command.arguments.root == "/" && daemon && !*daemon) {
    print_next(command.terminal, command.arguments, "Keep it so",
               "systemctl enable --now spark-reconcile spark-reconcile-rollback");
  }
}

ExitCode gate(const Command& command) {
  const auto& own = own_options<GateArguments>(command);
  if (own.checklist) return gate_checklist(command, own.out);
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) return code;
  host::View view(command.host);
  const auto selection = state::select(file->parsed.cluster, command.arguments.node, view);
  if (!selection) return report_error(command, selection.error());
  auto node = selection->node;
  if (const auto nodes = named_nodes(own.names); !nodes.empty()) {
    const auto job = cluster_for(nodes, file->parsed.cluster, node.name);
    if (!job) return report_error(command, job.error());
    const auto of_job = state::select(*job, node.name, view);
    if (!of_job) return report_error(command, of_job.error());
    config::keep_for_job(node, of_job->node);
  }
  const auto& terminal = command.terminal;
  const bool is_screen = shows_screen(command) && !command.arguments.json;
  const auto report = judge_here(command, view, node, is_screen);
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

constexpr auto kGateOptions = std::to_array<OptionRow>({
    {"--nodes", &Value::kNames, in<&GateArguments::names>(),
     "for a job of these nodes alone: what leads to others does not count"},
    {"--full", &Value::kNone, in<&GateArguments::full>(),
     "measure bandwidth, also where the file names no floor or a job uses the device"},
    {"--checklist", &Value::kNone, in<&GateArguments::checklist>(),
     "instead: what only a real Spark can tell, and what this machine says; needs no file"},
    {"-o,--out", &Value::kFile, in<&GateArguments::out>(),
     "with --checklist: write it into this new file, for others to read"},
});

std::string contradiction_of_gate(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& own = own_options<GateArguments>(arguments);
  if (!own.checklist) {
    return own.out.empty()
               ? ""
               : "-o of gate goes with --checklist: `spark-reconcile gate --checklist -o FILE`";
  }
  return own.full || !arguments.file.empty() || !arguments.node.empty()
             ? "--checklist is of this machine, whatever the file says: leave out --full, -f and -n"
             : "";
}

}  // namespace

extern const VerbSpec kGateVerb{
    .name = "gate",
    .group = VerbGroup::kLook,
    .about = "test whether this node is ready: checks every rail and moves bytes over it",
    .first_week = 6,
    .names_unfinished = true,
    .options = own_rows<GateArguments>(kGateOptions),
    .check = contradiction_of_gate,
    .run = gate};

}  // namespace spark::cli
