#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "daemon/alerts/rules/rules.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/checks/checks.hpp"
#include "node_state/verdict_reason.hpp"

namespace spark::daemon {
namespace {

/// A card, a target or a peer comes back within that time, or somebody has to know.
constexpr std::chrono::minutes kWaitsWithin{15};

/// "link of enp1s0f0np0: down [SR-GATE-001]", a line for each root of what makes the verdict.
std::string roots_of(const diagnosis::Diagnosis& diagnosis, gate::Verdict verdict) {
  std::string text;
  const auto decides = [verdict](const diagnosis::Problem& problem) {
    return problem.counts && problem.verdict == verdict;
  };
  for (const auto& root : diagnosis.roots) {
    if (!decides(root.problem) && std::ranges::none_of(root.again, decides) &&
        std::ranges::none_of(root.effects, decides)) {
      continue;
    }
    for (const auto& alike : alike_in(root)) {
      text += (text.empty() ? "" : "\n") + written(text_of(alike));
    }
  }
  return text;
}

/// It goes when something else does, which an alert of its own or that of the node names.
bool is_effect(const protocol::Problem& found, const diagnosis::Diagnosis& diagnosis) {
  return std::ranges::any_of(diagnosis.roots, [&found](const diagnosis::Root& root) {
    return std::ranges::find(root.effects, found, &diagnosis::Problem::found) != root.effects.end();
  });
}

/// An alert for each rail whose fact of that id does not hold, and nothing else explains it.
void find_rails(const NodeState& state, std::string_view id, FoundAlerts& found) {
  if (!state.gate) return;
  for (const auto& rail : state.gate->rails) {
    for (const auto& fact : rail.facts) {
      if (fact.id != id || fact.verdict != gate::Verdict::kNotReady ||
          is_effect(gate::problem_of(fact, rail.link), found.diagnosis())) {
        continue;
      }
      found.add_about([problem = gate::problem_of(fact, rail.link)](
                          const diagnosis::Problem& other) { return other.found == problem; },
                      {{"link", rail.link}, {"device", rail.device}, {"ip", rail.ip.text()}},
                      fmt::format("{}: {}", rail.device, fact.measured), state.gate_at);
    }
  }
}

/// A fact that the gate did not come to is not known: the link is down before its GID is looked
/// for, and no bandwidth is measured beside a job.
bool fact_is_judged(const Alert& alert, std::string_view id, const NodeState& state) {
  if (!state.gate) return false;
  const auto rail = std::ranges::find_if(state.gate->rails, [&alert](const gate::RailFacts& facts) {
    return facts.link == label_of(alert, "link") && facts.ip.text() == label_of(alert, "ip");
  });
  if (rail == state.gate->rails.end()) return true;  // the file asks for it no longer
  const auto* const fact = rail->find(id);
  // With another file it may never be measured again.
  return fact == nullptr ? file_is_newer(alert, state) : fact->verdict == gate::Verdict::kReady;
}

}  // namespace

void find_node_not_ready(const NodeState& state, FoundAlerts& found) {
  if (state.released) {
    auto& alert =
        found.add({}, fmt::format("node {} is released", state.node), state.verdict_since);
    alert.description = release_text(state);
    return;
  }
  const bool waits_too_long = state.verdict == gate::Verdict::kWaiting &&
                              state.gate_at.boot - state.verdict_since.boot >= kWaitsWithin;
  if (!state.gate || (state.verdict != gate::Verdict::kNotReady && !waits_too_long)) return;
  auto& alert = found.add(
      {}, fmt::format("node {} {}", state.node, waits_too_long ? "still waits" : "is not ready"),
      state.verdict_since);
  alert.description = roots_of(found.diagnosis(), state.verdict);
  if (const auto remedy = remedy_of_verdict(state); !remedy.empty()) alert.remedy = written(remedy);
}

bool verdict_is_judged(const Alert& /*alert*/, const NodeState& state) {
  return state.gate && state.verdict != gate::Verdict::kUnknown;
}

std::string how_verdict_ended(const Alert& /*alert*/, const NodeState& state) {
  return fmt::format("the node is {}", gate::name_of(state.verdict));
}

void find_gid_missing(const NodeState& state, FoundAlerts& found) {
  find_rails(state, gate::kGidFact.id, found);
}

bool gid_is_judged(const Alert& alert, const NodeState& state) {
  return fact_is_judged(alert, gate::kGidFact.id, state);
}

void find_gid_moved(const NodeState& state, FoundAlerts& found) {
  for (const auto& move : state.gid_moves) {
    found.add_about(node_state::is_named(diagnosis::kMovedGid, move.ip),
                    {{"link", move.link}, {"device", move.device}, {"ip", move.ip}},
                    fmt::format("the GID of {} on {} moved from index {} to {}", move.ip,
                                move.device, move.from, move.to),
                    move.at);
  }
}

void find_loopback_below_floor(const NodeState& state, FoundAlerts& found) {
  find_rails(state, gate::kBandwidthFact.id, found);
}

bool bandwidth_is_judged(const Alert& alert, const NodeState& state) {
  return fact_is_judged(alert, gate::kBandwidthFact.id, state);
}

}  // namespace spark::daemon
