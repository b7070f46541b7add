#include "daemon/alerts/rules/gate_rules.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "daemon/common/verdict_reason.hpp"
#include "gate/checks/loopback_check.hpp"
#include "gate/checks/rdma_check.hpp"

namespace spark::daemon {
namespace {

/// A card, a target or a peer comes back within that time, or somebody has to know.
constexpr std::chrono::minutes kWaitsWithin{15};

/// "enp1s0f0np0 192.0.2.11 link: down", a line for each fact of that verdict that counts.
std::string facts_of(const gate::GateReport& gate, gate::Verdict verdict) {
  std::string text;
  const auto add = [&](std::string_view where, const gate::Fact& fact) {
    if (!fact.counts || fact.verdict != verdict) return;
    text += fmt::format("{}{}{}: {} [{}]", text.empty() ? "" : "\n", where, fact.name,
                        fact.measured, fact.id);
  };
  for (const auto& rail : gate.rails) {
    for (const auto& fact : rail.facts) {
      add(fmt::format("{} {} ", rail.link, rail.ip.text()), fact);
    }
  }
  for (const auto& fact : gate.node) {
    const bool is_named = fact.measured.contains(fact.subject);
    add(is_named ? "" : fact.subject + " ", fact);
  }
  return text;
}

/// An alert for each rail whose fact of that id does not hold.
void find_rails(const NodeState& state, std::string_view id, FoundAlerts& found) {
  if (!state.gate) return;
  for (const auto& rail : state.gate->rails) {
    for (const auto& fact : rail.facts) {
      if (fact.id != id || fact.verdict != gate::Verdict::kNotReady) continue;
      auto& alert =
          found.add({{"link", rail.link}, {"device", rail.device}, {"ip", rail.ip.text()}},
                    fmt::format("{}: {}", rail.device, fact.measured), state.gate_at);
      if (!fact.remedy.empty()) alert.remedy = fact.remedy;
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
  return fact == nullptr ? file_is_newer(alert, state) : fact->verdict != gate::Verdict::kUnknown;
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
  alert.description = facts_of(*state.gate, state.verdict);
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
    found.add({{"link", move.link}, {"device", move.device}, {"ip", move.ip}},
              fmt::format("the GID of {} on {} moved from index {} to {}", move.ip, move.device,
                          move.from, move.to),
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
