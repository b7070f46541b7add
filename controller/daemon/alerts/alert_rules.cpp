#include "daemon/alerts/alert_rules.hpp"

#include <algorithm>
#include <array>

namespace spark::daemon {
namespace {

using enum AlertSeverity;

constexpr std::array kRules{
    AlertRule{alert_name::kNodeNotReady, "SR-ALERT-001", kCritical,
              "05ff2ed5a1b34262afe67663b578a2e4", "spark-reconcile gate"},
    AlertRule{alert_name::kResourceFailed, "SR-ALERT-002", kWarning,
              "8f0dfa6f163148fc8bf6ac148369b440",
              "spark-reconcile plan, then look at what the error names"},
    AlertRule{alert_name::kDrift, "SR-ALERT-003", kWarning, "086d9ade8f2a48fa9b365a2d01ca6387",
              "spark-reconcile apply, or change the file"},
    AlertRule{alert_name::kRecurringDrift, "SR-ALERT-004", kWarning,
              "bb928b3fd80a499d95541e46e4de7e93",
              "find who writes it, and take it from one of the two"},
    AlertRule{alert_name::kContested, "SR-ALERT-005", kWarning, "0d82a7b566c44b19b912536cedd6700d",
              "stop the other writer, or take the line out of the file"},
    AlertRule{alert_name::kConfigRefused, "SR-ALERT-006", kWarning,
              "f19f2c19de414aa481d7f6d2e03155d5",
              "spark-reconcile validate; the last good file stays in force"},
    AlertRule{alert_name::kGidMissing, "SR-ALERT-007", kCritical,
              "76ec87fb496e494a88d250370fcc35af", "spark-reconcile apply"},
    AlertRule{alert_name::kGidMoved, "SR-ALERT-008", kWarning, "a08373b3105142c7bb2e0dbbb9b6eea0",
              "restart the jobs that were running before and use this device"},
    AlertRule{alert_name::kLoopbackBelowFloor, "SR-ALERT-009", kWarning,
              "b5c4d7fdf1114454a0fa012508f89d36",
              "spark-reconcile gate; look at PCIe width and heat of the plug"},
    AlertRule{alert_name::kSinkFailing, "SR-ALERT-011", kWarning,
              "af5b18555e9a4fc6a4ba3f299663aa37",
              "see that the receiver runs and that agent.yaml names it rightly"},
    AlertRule{alert_name::kChangesRefused, "SR-ALERT-012", kWarning,
              "c30dedab0e21486aa7e75087df0019dd",
              "spark-reconcile plan, which names each reason with its id"},
    AlertRule{alert_name::kPassFailing, "SR-ALERT-013", kCritical,
              "2cc46d7eeec84236bc720200853d26e3", "journalctl -u spark-reconcile"},
    AlertRule{alert_name::kStateLost, "SR-ALERT-014", kWarning, "225a68e820ea45fdbf0871c470d3d46a",
              "find who wrote below /var/lib/spark-reconcile; spark-reconcile doctor"},
};

}  // namespace

std::span<const AlertRule> alert_rules() { return kRules; }

const AlertRule* alert_rule(std::string_view name) {
  const auto found = std::ranges::find(kRules, name, &AlertRule::name);
  return found == kRules.end() ? nullptr : &*found;
}

}  // namespace spark::daemon
