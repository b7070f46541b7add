#include <fmt/format.h>

#include "daemon/alerts/rules/rules.hpp"
#include "jobs/findings.hpp"
#include "jobs/job_follower.hpp"

namespace spark::daemon {

void find_job_one_rail(const NodeState& state, FoundAlerts& found) {
  for (const auto& finding : state.jobs.findings) {
    if (!finding.is_alert) continue;
    auto& alert = found.add({{"link", finding.link}},
                            fmt::format("{}: jobs use it, and not the other rail of its cage [{}]",
                                        finding.link, finding.id),
                            state.jobs.at);
    alert.description = finding.what;
    alert.remedy = finding.remedy;
  }
}

bool job_one_rail_is_judged(const Alert& /*alert*/, const NodeState& state) {
  const auto& last = state.jobs;
  // Its first look tells no rate, and comes after its start.
  constexpr auto kToSee = jobs::kOneRailIsAlert + 2 * jobs::kLookEvery;
  return is_set(last.at) && last.running &&
         (*last.running == 0 || last.at.boot - state.started.boot >= kToSee);
}

std::string how_job_one_rail_ended(const Alert& /*alert*/, const NodeState& state) {
  return state.jobs.running == 0 ? "the job has ended" : "gone by itself";
}

}  // namespace spark::daemon
