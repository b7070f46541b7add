#include "daemon/reconcile/waiting_facts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "gate/checks/link_check.hpp"
#include "gate/checks/loopback_check.hpp"
#include "gate/checks/rdma_check.hpp"
#include "kinds/network/address.hpp"
#include "kinds/network/mtu.hpp"
#include "kinds/network/roce.hpp"

namespace spark::daemon {
namespace {

/// The facts that compare a resource of that kind with the file.
struct ComparingFact {
  std::string_view kind;
  std::string_view id;
};
constexpr std::array kComparingFacts{
    ComparingFact{kinds::Mtu::kName, gate::kMtuFact.id},
    ComparingFact{kinds::Mtu::kName, gate::kPathMtuFact.id},
    ComparingFact{kinds::Address::kName, gate::kAddressFact.id},
    ComparingFact{kinds::Roce::kName, gate::kGidFact.id},
};

bool is_of(const DisturbWait& wait, const gate::RailFacts& rail) {
  return wait.key == rail.link || wait.key == fmt::format("{} {}", rail.link, rail.ip.text());
}

}  // namespace

void excuse_waiting(gate::GateReport& report, const std::vector<DisturbWait>& waits) {
  for (const auto& wait : waits) {
    for (auto& rail : report.rails) {
      if (!is_of(wait, rail)) continue;
      for (auto& fact : rail.facts) {
        const bool compares = std::ranges::any_of(kComparingFacts, [&](const ComparingFact& row) {
          return row.kind == wait.kind && row.id == fact.id;
        });
        if (!compares || fact.verdict == gate::Verdict::kReady) continue;
        fact.counts = false;
        fact.measured += "; waits for the end of a job";
        fact.remedy = "`spark-reconcile apply` changes it now, and disturbs the job";
      }
    }
  }
}

}  // namespace spark::daemon
