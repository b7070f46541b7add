#include "daemon/reconcile/waiting_facts.hpp"

#include <fmt/format.h>

namespace spark::daemon {
namespace {

bool is_of(const DisturbWait& wait, const gate::RailFacts& rail) {
  return wait.key == rail.link || wait.key == fmt::format("{} {}", rail.link, rail.ip.text());
}

}  // namespace

void excuse_waiting(gate::GateReport& report, const std::vector<DisturbWait>& waits) {
  for (const auto& wait : waits) {
    for (auto& rail : report.rails) {
      if (!is_of(wait, rail)) continue;
      for (auto& fact : rail.facts) {
        if (fact.compares != wait.kind || fact.verdict == gate::Verdict::kReady) continue;
        fact.counts = false;
        fact.measured += "; waits for the end of a job";
        fact.remedy = "`spark-reconcile apply` changes it now, and disturbs the job";
      }
    }
  }
}

}  // namespace spark::daemon
