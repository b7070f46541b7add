#include "daemon/reconcile/disturb_waits.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "kinds/network/address.hpp"
#include "node_state/wait_text.hpp"

namespace spark::daemon {
namespace {

/// The step brings an address that is on another link as long as `other` waits.
bool needs_address_of(const plan::Step& step, const plan::Step& other) {
  if (step.kind != kinds::Address::kName || !step.after) return false;
  return step.on.ip && step.effect.link != other.effect.link &&
         std::ranges::find(other.effect.ips, *step.on.ip) != other.effect.ips.end();
}

/// Others act on what is handed to them: not before the link is as they are to have it.
bool is_handed_on_after(const plan::Step& step, const plan::Step& other) {
  return step.effect.hands_back &&
         (step.effect.link.empty() || step.effect.link == other.effect.link);
}

bool is_of(const DisturbWait& wait, const gate::RailFacts& rail) {
  return wait.on.link == rail.link && (!wait.on.ip || *wait.on.ip == rail.ip);
}

}  // namespace

RailsOfSteps steps_that_wait(const plan::Plan& plan, const RailsOfSteps& disturbed,
                             const std::set<std::string>& used) {
  RailsOfSteps waiting;
  std::vector<const plan::Step*> first;
  for (const auto& step : plan.steps) {
    const auto rails = disturbed.find(step.name());
    if (rails == disturbed.end()) continue;
    std::set<std::string> busy;
    std::ranges::set_intersection(rails->second, used, std::inserter(busy, busy.end()));
    if (!busy.empty()) {
      waiting.emplace(step.name(), std::move(busy));
      first.push_back(&step);
    }
  }
  for (const auto& step : plan.steps) {
    if (!disturbed.contains(step.name()) || waiting.contains(step.name())) continue;
    const auto needed = std::ranges::find_if(first, [&step](const plan::Step* other) {
      return needs_address_of(step, *other) || is_handed_on_after(step, *other);
    });
    if (needed != first.end()) waiting.emplace(step.name(), waiting.at((*needed)->name()));
  }
  return waiting;
}

std::set<std::string> ObservedWaits::names() const {
  const auto names = steps | std::views::keys;
  return {names.begin(), names.end()};
}

std::set<std::string> ObservedWaits::free_rails() const {
  std::set<std::string> free;
  for (const auto& [step, rails] : disturbed) {
    if (!steps.contains(step)) free.insert(rails.begin(), rails.end());
  }
  return free;
}

void ObservedWaits::keep_waiting(ObservedWaits earlier) {
  steps.merge(earlier.steps);
  uses.merge(earlier.uses);
  if (asked.empty()) asked = std::move(earlier.asked);
}

void ObservedWaits::wait_for_all(const plan::Plan& plan, std::string why) {
  std::set<std::string> all;
  for (const auto& [step, rails] : disturbed) all.insert(rails.begin(), rails.end());
  steps = steps_that_wait(plan, disturbed, all);
  asked = std::move(why);
}

ObservedWaits observe_waits(const plan::Plan& plan, const config::Node& node, host::View& view,
                            const std::function<bool(const plan::Step&)>& counts) {
  RailsOfSteps disturbed;
  std::set<std::string> rails;
  for (const auto& step : plan.steps) {
    if (!counts(step)) continue;
    auto of_step = plan::disturbed_rails(step, node, view);
    rails.insert(of_step.begin(), of_step.end());
    disturbed.emplace(step.name(), std::move(of_step));
  }
  ObservedWaits look;
  std::set<std::string> used;
  for (const auto& rail : rails) {
    auto use = plan::use_of_rail(rail, node, view);
    if (!use.is_used()) continue;
    used.insert(rail);
    look.uses.emplace(rail, std::move(use));
  }
  if (!used.empty()) look.steps = steps_that_wait(plan, disturbed, used);
  look.disturbed = std::move(disturbed);
  return look;
}

void leave_to_corrections(ObservedWaits& look, const plan::Plan& of_new_file,
                          const plan::Plan& plan) {
  for (const auto& step : of_new_file.steps) {
    const auto is_same = [&step](const plan::Step& other) {
      return other.kind == step.kind && other.key == step.key && other.after == step.after;
    };
    if (std::ranges::none_of(plan.steps, is_same)) continue;
    look.steps.erase(step.name());
    look.disturbed.erase(step.name());
  }
}

bool has_changed(const plan::RailUse& use, host::Rdma& rdma) {
  if (use.device.empty()) return rdma.ports().has_value();
  const auto users = rdma.users(use.device);
  const bool is_known = users || users.error().code == ErrorCode::kNotFound;
  const bool was_known = use.unknown.empty();
  if (!is_known || !was_known) return is_known != was_known;
  const auto pids =
      users ? std::set<std::uint32_t>(users->begin(), users->end()) : std::set<std::uint32_t>{};
  return !std::ranges::equal(pids, use.processes, {}, {}, &host::RunningProcess::pid);
}

void excuse_waiting(gate::GateReport& report, const std::vector<DisturbWait>& waits) {
  for (const auto& wait : waits) {
    for (auto& rail : report.rails) {
      if (!is_of(wait, rail)) continue;
      for (auto& fact : rail.facts) {
        if (fact.compares != wait.kind || fact.verdict == gate::Verdict::kReady) continue;
        fact.counts = false;
        fact.measured += "; waits for the end of a job";
        fact.remedy = node_state::kRemedyOfWait;
      }
    }
  }
}

}  // namespace spark::daemon
