// The verb `gate`: is this node ready, and if not, why?

#include "gate/gate.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/daemon_status.hpp"
#include "cli/json_output.hpp"
#include "gate/gate_json.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

struct Look {
  Tone tone;
  std::string_view sign;
};

Look look_of(gate::Verdict verdict) {
  switch (verdict) {
    case gate::Verdict::kReady:
      return {Tone::kGood, "✓"};
    case gate::Verdict::kUnknown:
      return {Tone::kChange, "?"};
    case gate::Verdict::kWaiting:
      return {Tone::kChange, "…"};
    case gate::Verdict::kNotReady:
      return {Tone::kBad, "✗"};
  }
  return {Tone::kPlain, "?"};
}

std::string fact_text(const gate::Fact& fact, const Terminal& terminal) {
  const auto [tone, sign] = look_of(fact.verdict);
  const bool held = fact.verdict == gate::Verdict::kReady;
  auto text = fmt::format("    {} {}  {}{}\n", terminal.paint(tone, sign), padded(fact.name, 9),
                          printable(fact.measured), held ? "" : fmt::format(" [{}]", fact.id));
  if (!fact.remedy.empty()) {
    text += fmt::format("      {}  {}\n", padded("", 9), printable(fact.remedy));
  }
  return text;
}

std::string report_text(const gate::GateReport& report, const Terminal& terminal) {
  std::string text;
  for (const auto& rail : report.rails) {
    text +=
        fmt::format("\n  {}{}  {}\n", rail.link,
                    rail.device.empty() ? "" : fmt::format(" ({})", rail.device), rail.ip.text());
    for (const auto& fact : rail.facts) {
      text += fact_text(fact, terminal);
    }
  }
  if (!report.node.empty()) {
    text += "\n  node\n";
  }
  for (const auto& fact : report.node) {
    text += fact_text(fact, terminal);
  }
  return text;
}

std::string closing_line(const gate::GateReport& report, const std::string& node,
                         const Terminal& terminal) {
  const auto verdict = report.verdict();
  return fmt::format("{}: {}: {}\n", node,
                     terminal.paint(look_of(verdict).tone, gate::name_of(verdict)),
                     printable(report.why()));
}

/// What the daemon saw last with the same file; empty: nothing.
std::optional<gate::GateReport> last_report(host::Files& files, const std::string& digest) {
  const auto status = read_daemon_status(files);
  if (!status || !status->is_object() || status->value("digest", nlohmann::json()) != digest) {
    return std::nullopt;
  }
  auto report = gate::report_from_json(status->value("gate", nlohmann::json()));
  return report ? std::optional(*std::move(report)) : std::nullopt;
}

}  // namespace

ExitCode gate(const Command& command) {
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) {
    return code;
  }
  host::View view(command.host);
  const auto selection = state::select(file->parsed.cluster, command.arguments.node, view);
  if (!selection) return report_error(command, selection.error());
  const auto& node = selection->node;
  auto report = gate::judge(command.host, view, node,
                            {.depth = command.arguments.full ? gate::GateOptions::Depth::kFull
                                                             : gate::GateOptions::Depth::kNormal});
  if (const auto of_daemon = last_report(command.host.files, node.digest)) {
    gate::keep_cabling(*of_daemon, report);
  }
  const auto code = report.exit_code();
  const auto& terminal = command.terminal;
  if (command.arguments.json) {
    print_json(terminal, "gate", *file, node.name, code, gate::to_json(report));
    return code;
  }
  terminal.print(
      terminal.paint(Tone::kStrong, fmt::format("{} of cluster '{}'", node.name, node.cluster)) +
      "\n" + report_text(report, terminal) + "\n");
  terminal.print_always(closing_line(report, node.name, terminal));
  return code;
}

}  // namespace spark::cli
