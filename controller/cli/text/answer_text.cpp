#include "cli/text/answer_text.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <span>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "cli/text/layout.hpp"
#include "jobs/sign_text.hpp"

namespace spark::cli {
namespace {

using jobs::AnswerLine;

/// In the order of jobs::Answer::Kind.
constexpr std::array kTones{Tone::kGood, Tone::kBad, Tone::kChange};

bool is_proof_line(const AnswerLine& line) { return protocol::is_proof(line.sign); }

std::string timed_line(const std::string& when, const std::string& text, const Terminal& terminal) {
  const auto head = when + "  ";
  return terminal.width() ? hanging(head, text, *terminal.width()) : head + text + "\n";
}

/// Proofs with nothing between them: each of its kind once.
std::string proofs_text(std::span<const AnswerLine> proofs, const Terminal& terminal) {
  std::vector<std::string> shown;
  std::string text;
  for (const auto& proof : proofs) {
    if (std::ranges::find(shown, proof.text) != shown.end()) continue;
    shown.push_back(proof.text);
    const auto is_same = [&](const AnswerLine& other) { return other.text == proof.text; };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(proofs, is_same));
    auto said = proof.text;
    if (count > 1) {
      const auto backwards = proofs | std::views::reverse;
      said += fmt::format(", {} until {}", counted(count, "time"),
                          jobs::clock_text(std::ranges::find_if(backwards, is_same)->at));
    }
    text += timed_line(jobs::clock_text(proof.at), said, terminal);
  }
  return text;
}

std::string text_of_lines(std::span<const AnswerLine> lines, const Terminal& terminal) {
  std::string text;
  while (!lines.empty()) {
    const auto end = std::ranges::find_if_not(lines, is_proof_line);
    const auto proofs = static_cast<std::size_t>(end - lines.begin());
    text += proofs_text(lines.first(proofs), terminal);
    lines = lines.subspan(proofs);
    if (lines.empty()) break;
    text += timed_line(jobs::clock_text(lines.front().at), lines.front().text, terminal);
    lines = lines.subspan(1);
  }
  return text;
}

}  // namespace

std::string answer_text(const NetworkAnswer& asked, const Terminal& terminal) {
  const auto& answer = asked.answer;
  auto text =
      fitting(terminal.paint(kTones.at(static_cast<std::size_t>(answer.kind)), answer.line) + "\n",
              terminal);
  for (const auto& node : asked.nodes) {
    if (node.why.empty()) continue;
    text +=
        fitting(fmt::format("what {} recorded is not known: {}\n", node.node, node.why), terminal);
  }
  for (const auto& note : answer.notes) text += fitting(note + "\n", terminal);
  return text;
}

std::string lines_text(const NetworkAnswer& asked, const Terminal& terminal) {
  const auto& lines = asked.answer.lines;
  return lines.empty() ? "" : "\n" + text_of_lines(lines, terminal);
}

nlohmann::json answer_json(const NetworkAnswer& asked) {
  auto lines = nlohmann::json::array();
  for (const auto& line : asked.answer.lines) {
    lines.push_back({{"at", utc_text(line.at)},
                     {"node", line.node},
                     {"link", line.link},
                     {"sign", protocol::kSigns.at(static_cast<std::size_t>(line.sign))},
                     {"text", line.text}});
  }
  auto nodes = nlohmann::json::array();
  for (const auto& node : asked.nodes) {
    nodes.push_back(
        {{"node", node.node},
         {"known", node.why.empty()},
         {"ahead_ms", node.ahead ? nlohmann::json(node.ahead->count()) : nlohmann::json(nullptr)},
         {"why", node.why}});
  }
  const auto kind = jobs::kAnswerKinds.at(static_cast<std::size_t>(asked.answer.kind));
  return {{"answer", {{"kind", kind}, {"line", asked.answer.line}}},
          {"notes", asked.answer.notes},
          {"lines", std::move(lines)},
          {"nodes", std::move(nodes)}};
}

}  // namespace spark::cli
