#include "daemon/common/node_summary.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "daemon/common/time_text.hpp"
#include "daemon/common/verdict_reason.hpp"
#include "gate/checks/loopback_check.hpp"

namespace spark::daemon {
namespace {

using gate::CablingState;

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
  return text.empty() ? why_of(state) : text;
}

/// "spark1 is not ready", "spark1 is ready and paused until 2031-04-05 06:28:08 UTC".
std::string standing_of(const NodeState& state) {
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
  NodeSummary summary{.sentence = "", .lead = {}, .others = faults_of(state, now)};
  const auto why = why_of(state);
  if (state.released) {
    summary.sentence = fmt::format("{} is {}.{}", state.node.empty() ? "This node" : state.node,
                                   why, state.file.waits ? " A new file waits until then." : "");
    return summary;
  }
  const bool is_ready = state.verdict == gate::Verdict::kReady;
  const auto lead = is_ready
                        ? summary.others.end()
                        : std::ranges::find_if(summary.others, [&why](const Fault& fault) {
                            return std::ranges::find(fault.reasons, why) != fault.reasons.end();
                          });
  if (lead != summary.others.end()) {
    summary.lead = std::move(*lead);
    summary.others.erase(lead);
  }
  const auto reason = is_ready && state.gate ? proof_of(state)
                      : summary.lead         ? line_text(*summary.lead, summary.lead->lines.front())
                                             : why;
  summary.sentence = state.node.empty()
                         ? with_capital(reason) + "."
                         : fmt::format("{}: {}.{}", standing_of(state), reason,
                                       is_ready ? what_differs(state, summary.others.size()) : "");
  return summary;
}

}  // namespace spark::daemon
