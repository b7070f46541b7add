#include "node_state/node_summary.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "diagnosis/kinds.hpp"
#include "diagnosis/texts.hpp"
#include "gate/checks/checks.hpp"
#include "node_state/node_state.hpp"
#include "node_state/problems.hpp"
#include "node_state/time_text.hpp"
#include "node_state/verdict_reason.hpp"

namespace spark::node_state {
namespace {

using gate::CablingState;

/// A peer that does not answer leaves the node ready, so its own state is another word.
std::string state_of(const diagnosis::Problem& problem) {
  if (!problem.state.empty()) return problem.state;
  const auto& id = problem.found.id;
  const bool is_about_peers =
      id == gate::kPeersFact.id || id == gate::kCablingFact.id || is_sentence(problem);
  return !problem.counts && is_about_peers ? "not proven"
                                           : std::string(gate::name_of(problem.verdict));
}

/// Of what the gate finds, only what counts.
bool is_bad(const diagnosis::Problem& problem) {
  return problem.verdict == gate::Verdict::kNotReady &&
         (problem.counts || is_of_this_node_alone(problem));
}

Fault fault_of(const diagnosis::Problem& problem) {
  return {.is_bad = is_bad(problem),
          .lines = {},
          .state = state_of(problem),
          .why = problem.why,
          .remedy = written(text_of(problem.remedy)),
          .id = problem.found.id,
          .place = problem.place,
          .since = problem.since};
}

/// One of which several things are said stands, and is fixed, in one way.
bool is_one_fault(const Fault& fault, const Fault& other) {
  return other.state == fault.state && other.why == fault.why && other.remedy == fault.remedy &&
         other.is_bad == fault.is_bad;
}

/// The first is that of the root's own problem.
std::vector<Fault> faults_of(const diagnosis::Root& root) {
  std::vector<Fault> faults;
  for (const auto& alike : alike_in(root)) {
    auto fault = fault_of(alike.problem);
    auto same = std::ranges::find_if(
        faults, [&](const Fault& other) { return is_one_fault(fault, other); });
    if (same == faults.end()) same = faults.insert(faults.end(), std::move(fault));
    same->lines.push_back(sentence_of(alike));
    if (!same->since) same->since = alike.problem.since;
  }
  faults.front().follow = root.effects.size();
  return faults;
}

std::string with_capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

/// What of a ready node is proven: "2 cables proven, 4 rails carry RDMA".
std::string proof_of(const NodeState& state) {
  // Both rails of a cage are one cable: one answer proves it.
  std::map<int, bool> cables;
  for (const auto& link : state.links) {
    if (!link.cage || !link.cabling) continue;
    auto& is_proven = cables[*link.cage];
    is_proven = is_proven || link.cabling->state == CablingState::kProven;
  }
  const auto proven = static_cast<std::size_t>(
      std::ranges::count_if(cables, [](const auto& cable) { return cable.second; }));
  const auto carrying = static_cast<std::size_t>(
      std::ranges::count_if(state.gate->rails, [](const gate::RailFacts& rail) {
        const auto* const fact = rail.find(gate::kLoopbackFact.id);
        return fact != nullptr && fact->verdict == gate::Verdict::kReady;
      }));
  std::string text;
  if (!cables.empty()) {
    text = proven == cables.size()
               ? counted(proven, "cable") + " proven"
               : fmt::format("{} of {} proven", proven, counted(cables.size(), "cable"));
  }
  if (carrying > 0) {
    text += fmt::format("{}{} carr{} RDMA", text.empty() ? "" : ", ", counted(carrying, "rail"),
                        carrying == 1 ? "ies" : "y");
  }
  return text.empty() ? written(why_of(state)) : text;
}

/// "spark1 is not ready", "spark1 is ready and paused until 2031-04-05 06:28:08 UTC".
std::string verdict_words(const NodeState& state) {
  auto text = state.verdict == gate::Verdict::kUnknown
                  ? fmt::format("Whether {} is ready is unknown", state.node)
                  : fmt::format("{} is {}", state.node, gate::name_of(state.verdict));
  if (state.paused) text += " and paused until " + utc_words(state.paused->until);
  return text;
}

std::string what_differs(const NodeState& state, std::size_t others) {
  if (others == 1) return " 1 thing needs attention.";
  if (others > 1) return fmt::format(" {} things need attention.", others);
  return is_set(state.pass_at) && state.drifts.empty() ? " Nothing differs." : "";
}

}  // namespace

NodeSummary summary_of(const NodeState& state, const Moment& now) {
  NodeSummary summary;
  const auto diagnosis = diagnosis_of(state, now);
  const bool is_ready = state.verdict == gate::Verdict::kReady;
  const auto* const decisive = is_ready ? nullptr : decisive_root(state, diagnosis);
  for (const auto& root : diagnosis.roots) {
    auto faults = faults_of(root);
    if (&root == decisive) {
      summary.lead = std::move(faults.front());
      faults.erase(faults.begin());
    }
    std::ranges::move(faults, std::back_inserter(summary.others));
  }
  std::ranges::stable_partition(summary.others, &Fault::is_bad);
  if (state.released) {
    summary.sentence = Sentence(
        fmt::format("{} is {}.{}", state.node.empty() ? "This node" : state.node,
                    release_text(state), state.file.waits ? " A new file waits until then." : ""));
    return summary;
  }
  const auto reason = is_ready && state.gate
                          ? proof_of(state)
                          : written(summary.lead ? summary.lead->lines.front() : why_of(state));
  summary.sentence = Sentence(
      state.node.empty() ? with_capital(reason) + "."
                         : fmt::format("{}: {}.{}", verdict_words(state), reason,
                                       is_ready ? what_differs(state, summary.others.size()) : ""));
  return summary;
}

}  // namespace spark::node_state
