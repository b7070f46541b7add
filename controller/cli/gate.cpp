// The verb `gate`: is this node ready, and if not, why?

#include "gate/gate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "reconcile/select.hpp"

namespace spark {
namespace {

struct Look {
  Tone tone;
  std::string_view sign;
};

Look look_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReady:
      return {Tone::kGood, "✓"};
    case Verdict::kUnknown:
      return {Tone::kChange, "?"};
    case Verdict::kWaiting:
      return {Tone::kChange, "…"};
    case Verdict::kNotReady:
      return {Tone::kBad, "✗"};
  }
  return {Tone::kPlain, "?"};
}

std::string fact_text(const Fact& fact, const Terminal& terminal) {
  const auto [tone, sign] = look_of(fact.verdict);
  const bool held = fact.verdict == Verdict::kReady;
  auto text = fmt::format("    {} {}  {}{}\n", terminal.paint(tone, sign), padded(fact.name, 9),
                          fact.measured, held ? "" : fmt::format(" [{}]", fact.id));
  if (!fact.remedy.empty()) {
    text += fmt::format("      {}  {}\n", padded("", 9), fact.remedy);
  }
  return text;
}

std::string report_text(const GateReport& report, const Terminal& terminal) {
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

/// Every peer answered over every rail, each of which has one.
bool peers_answer(const GateReport& report) {
  return std::ranges::all_of(report.rails, [](const RailFacts& rail) {
    const auto peers = std::ranges::find(rail.facts, "SR-GATE-011", &Fact::id);
    return peers != rail.facts.end() && peers->verdict == Verdict::kReady;
  });
}

std::string closing_line(const GateReport& report, const std::string& node,
                         const Terminal& terminal) {
  const auto verdict = report.verdict();
  const auto head =
      fmt::format("{}: {}", node, terminal.paint(look_of(verdict).tone, name_of(verdict)));
  if (verdict == Verdict::kReady) {
    return fmt::format("{}: the node is proven; {}\n", head,
                       peers_answer(report) ? "its peers answer over every rail"
                                            : "its cables are not until a peer answers");
  }
  const auto decides = [&](const Fact& fact) { return fact.counts && fact.verdict == verdict; };
  for (const auto& rail : report.rails) {
    const auto first = std::ranges::find_if(rail.facts, decides);
    if (first != rail.facts.end()) {
      return fmt::format("{}: {} of {}: {} [{}]\n", head, first->name, rail.link, first->measured,
                         first->id);
    }
  }
  const auto first = std::ranges::find_if(report.node, decides);
  return fmt::format("{}: {}: {} [{}]\n", head, first->name, first->measured, first->id);
}

nlohmann::json to_json(const Fact& fact) {
  return {{"verdict", name_of(fact.verdict)}, {"id", fact.id},         {"name", fact.name},
          {"measured", fact.measured},        {"remedy", fact.remedy}, {"counts", fact.counts}};
}

nlohmann::json to_json(const GateReport& report) {
  nlohmann::json json{{"verdict", name_of(report.verdict())},
                      {"rails", nlohmann::json::array()},
                      {"facts", nlohmann::json::array()}};
  for (const auto& rail : report.rails) {
    nlohmann::json one{{"link", rail.link},
                       {"device", rail.device},
                       {"address", rail.ip.text()},
                       {"facts", nlohmann::json::array()}};
    for (const auto& fact : rail.facts) {
      one["facts"].push_back(to_json(fact));
    }
    json["rails"].push_back(std::move(one));
  }
  for (const auto& fact : report.node) {
    json["facts"].push_back(to_json(fact));
  }
  return json;
}

}  // namespace

ExitCode gate(const Command& command) {
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) {
    return code;
  }
  View view(command.host);
  const auto selection = select(file->parsed.cluster, command.arguments.node, view);
  if (!selection) return report_error(command, selection.error());
  const auto& node = selection->node;
  const auto report = judge(
      command.host, view, node,
      {.depth = command.arguments.full ? GateOptions::Depth::kFull : GateOptions::Depth::kNormal});
  const auto code = report.exit_code();
  const auto& terminal = command.terminal;
  if (command.arguments.json) {
    print_json(terminal, "gate", *file, node.name, code, to_json(report));
    return code;
  }
  terminal.print(
      terminal.paint(Tone::kStrong, fmt::format("{} of cluster '{}'\n", node.name, node.cluster)) +
      report_text(report, terminal) + "\n");
  terminal.print_always(closing_line(report, node.name, terminal));
  return code;
}

}  // namespace spark
