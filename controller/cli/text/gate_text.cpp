#include "cli/text/gate_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "cli/text/cages.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/text/state_words.hpp"
#include "node_state/node_state.hpp"
#include "node_state/verdict_reason.hpp"

namespace spark::cli {
namespace {

/// Where these hold, what was measured is what the file says.
constexpr std::array<std::string_view, 6> kAsInTheFile{"link", "mtu",      "address",
                                                       "port", "path mtu", "memlock"};

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

bool is_brief(const gate::Fact& fact) {
  return fact.verdict == gate::Verdict::kReady &&
         std::ranges::find(kAsInTheFile, fact.name) != kAsInTheFile.end();
}

std::string wide_fact_text(const gate::Fact& fact, const std::string& remedy,
                           const Terminal& terminal, std::size_t width) {
  const auto [tone, sign] = look_of(fact.verdict);
  const bool holds = fact.verdict == gate::Verdict::kReady;
  const auto head =
      fmt::format("    {} {}  ", terminal.paint(tone, sign), padded(printable(fact.name), 9));
  auto text = hanging(head,
                      fmt::format("{}{}", printable(fact.measured),
                                  holds ? std::string() : fmt::format(" [{}]", fact.id)),
                      width);
  return remedy.empty() ? text
                        : text + hanging(std::string(columns(head), ' '), printable(remedy), width);
}

std::string facts_text(const std::vector<gate::Fact>& facts, const Terminal& terminal,
                       std::size_t width) {
  std::vector<std::string> brief;
  std::vector<const gate::Fact*> others;
  for (const auto& fact : facts) {
    if (is_brief(fact)) {
      brief.push_back(printable(fact.name));
    } else {
      others.push_back(&fact);
    }
  }
  std::string text;
  if (!brief.empty()) {
    const auto [tone, sign] = look_of(gate::Verdict::kReady);
    text += hanging(fmt::format("    {} ", terminal.paint(tone, sign)),
                    fmt::format("{}", fmt::join(brief, ", ")), width);
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    // One remedy for several facts stands below the last of them.
    const bool says = i + 1 == others.size() || others[i + 1]->remedy != others[i]->remedy;
    text += wide_fact_text(*others[i], says ? others[i]->remedy : "", terminal, width);
  }
  return text;
}

}  // namespace

std::string gate_text(const gate::GateReport& report, const Terminal& terminal) {
  std::string text;
  for (const auto& rail : report.rails) {
    text +=
        fmt::format("\n  {}{}  {}\n", rail.link,
                    rail.device.empty() ? "" : fmt::format(" ({})", rail.device), rail.ip.text());
    for (const auto& fact : rail.facts) text += fact_text(fact, terminal);
  }
  if (!report.node.empty()) text += "\n  node\n";
  for (const auto& fact : report.node) text += fact_text(fact, terminal);
  return text;
}

std::string gate_line(const gate::GateReport& report, const std::string& node,
                      const Terminal& terminal) {
  node_state::NodeState state;
  state.node = node;
  state.gate = report;
  state.verdict = report.verdict();
  return fmt::format("{}: {}: {}\n", node,
                     terminal.paint(look_of(state.verdict).tone, gate::name_of(state.verdict)),
                     printable(written(why_of(state))));
}

std::string gate_screen(const gate::GateReport& report, const config::Node& node,
                        const std::string& file, const Terminal& terminal) {
  const auto width = terminal.width().value_or(80);
  std::map<std::string, std::vector<const gate::RailFacts*>> by_link;
  std::set<std::string> links;
  for (const auto& rail : report.rails) {
    by_link[rail.link].push_back(&rail);
    links.insert(rail.link);
  }
  auto text = title_line(node, file, "", terminal);
  for (const auto& group : grouped_links(node, links)) {
    std::string lines;
    for (const auto& link : group.links) {
      const auto found = by_link.find(link);
      if (found == by_link.end()) continue;
      for (const auto* rail : found->second) {
        const auto name = rail_name(node, link);
        lines +=
            pieces(fmt::format("  {}{}", name, name.empty() ? "" : "  "),
                   {printable(rail->link),
                    rail->device.empty() ? std::string("no RDMA device") : printable(rail->device),
                    rail->ip.text()},
                   width) +
            facts_text(rail->facts, terminal, width);
      }
    }
    if (!lines.empty()) {
      text += "\n" + terminal.paint(Tone::kStrong, title_of(group, node)) + "\n" + lines;
    }
  }
  if (!report.node.empty()) {
    text += "\n" + terminal.paint(Tone::kStrong, "this node") + "\n" +
            facts_text(report.node, terminal, width);
  }
  return text + "\n";
}

}  // namespace spark::cli
