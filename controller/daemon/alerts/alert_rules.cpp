#include "daemon/alerts/alert_rules.hpp"

#include <algorithm>
#include <array>

#include "daemon/alerts/rules/drift_rules.hpp"
#include "daemon/alerts/rules/gate_rules.hpp"
#include "daemon/alerts/rules/hardware_rules.hpp"
#include "daemon/alerts/rules/pass_rules.hpp"
#include "daemon/alerts/rules/sink_rules.hpp"
#include "daemon/alerts/rules/source_rules.hpp"
#include "daemon/alerts/rules/wait_rules.hpp"
#include "node_state/problems.hpp"

namespace spark::daemon {
namespace {

using enum AlertSeverity;

constexpr std::array kRules{
    AlertRule{.name = "SparkNodeNotReady",
              .id = "SR-ALERT-001",
              .severity = kCritical,
              .message_id = "05ff2ed5a1b34262afe67663b578a2e4",
              .remedy = "spark-reconcile gate",
              .find = find_node_not_ready,
              .is_judged = verdict_is_judged,
              .how_it_ended = how_verdict_ended},
    AlertRule{.name = "SparkResourceFailed",
              .id = "SR-ALERT-002",
              .severity = kWarning,
              .message_id = "8f0dfa6f163148fc8bf6ac148369b440",
              .remedy = kRemedyOfFailure,
              .find = find_resource_failed},
    AlertRule{.name = "SparkDrift",
              .id = "SR-ALERT-003",
              .severity = kWarning,
              .message_id = "086d9ade8f2a48fa9b365a2d01ca6387",
              .remedy = kRemedyOfDrift,
              .find = find_drift},
    AlertRule{.name = "SparkContested",
              .id = "SR-ALERT-005",
              .severity = kWarning,
              .message_id = "0d82a7b566c44b19b912536cedd6700d",
              .remedy = kRemedyOfContest,
              .find = find_contested},
    AlertRule{.name = "SparkRecurringDrift",
              .id = "SR-ALERT-004",
              .severity = kWarning,
              .message_id = "bb928b3fd80a499d95541e46e4de7e93",
              .remedy = "find who writes it, and take it from one of the two",
              .find = find_recurring_drift,
              .lasts = kRecurringWithin},
    AlertRule{.name = "SparkConfigRefused",
              .id = "SR-ALERT-006",
              .severity = kWarning,
              .message_id = "f19f2c19de414aa481d7f6d2e03155d5",
              .remedy = kRemedyOfRefusedFile,
              .find = find_config_refused,
              .is_judged = file_is_judged,
              .how_it_ended = how_refusal_of_file_ended},
    AlertRule{.name = "SparkGidMissing",
              .id = "SR-ALERT-007",
              .severity = kCritical,
              .message_id = "76ec87fb496e494a88d250370fcc35af",
              .remedy = "spark-reconcile apply",
              .find = find_gid_missing,
              .is_judged = gid_is_judged},
    AlertRule{.name = "SparkLoopbackBelowFloor",
              .id = "SR-ALERT-009",
              .severity = kWarning,
              .message_id = "b5c4d7fdf1114454a0fa012508f89d36",
              .remedy = "spark-reconcile gate; look at PCIe width and heat of the plug",
              .find = find_loopback_below_floor,
              .is_judged = bandwidth_is_judged},
    AlertRule{.name = "SparkGidMoved",
              .id = "SR-ALERT-008",
              .severity = kWarning,
              .message_id = "a08373b3105142c7bb2e0dbbb9b6eea0",
              .remedy = kRemedyOfMovedGid,
              .find = find_gid_moved,
              .lasts = kGidMoveCounts},
    AlertRule{.name = "SparkStateLost",
              .id = "SR-ALERT-014",
              .severity = kWarning,
              .message_id = "225a68e820ea45fdbf0871c470d3d46a",
              .remedy = "find who wrote below /var/lib/spark-reconcile; spark-reconcile doctor",
              .find = find_state_lost,
              .lasts = kStateLossCounts},
    AlertRule{.name = "SparkSinkFailing",
              .id = "SR-ALERT-011",
              .severity = kWarning,
              .message_id = "af5b18555e9a4fc6a4ba3f299663aa37",
              .remedy = kRemedyOfReceiver,
              .find = find_sink_failing,
              .is_judged = sink_is_judged,
              .how_it_ended = how_sink_ended},
    AlertRule{.name = "SparkChangesRefused",
              .id = "SR-ALERT-012",
              .severity = kWarning,
              .message_id = "c30dedab0e21486aa7e75087df0019dd",
              .remedy = kRemedyOfRefusal,
              .find = find_changes_refused},
    AlertRule{.name = "SparkPassFailing",
              .id = "SR-ALERT-013",
              .severity = kCritical,
              .message_id = "2cc46d7eeec84236bc720200853d26e3",
              .remedy = kRemedyOfPass,
              .find = find_pass_failing},
    AlertRule{.name = "SparkDisturbWaits",
              .id = "SR-ALERT-015",
              .severity = kWarning,
              .message_id = "002dc82641ba45b2a48ebc7a7b9179ee",
              .remedy = "wait for the job, or end it; spark-reconcile apply disturbs it",
              .find = find_disturb_waits,
              .how_it_ended = how_disturb_waits_ended},
    AlertRule{.name = "SparkSourceRefused",
              .id = "SR-ALERT-016",
              .severity = kWarning,
              .message_id = "7d2c4be1a9f34c5f8e0b6d1f2a3c4e5d",
              .remedy = "spark-reconcile status",
              .find = find_source_refused,
              .how_it_ended = how_source_fault_ended},
    AlertRule{.name = "SparkHardwareFault",
              .id = "SR-ALERT-017",
              .severity = kWarning,
              .message_id = "10c26ccbeb65d5677f43c837f389c15d",
              .remedy = "spark-reconcile doctor",
              .find = find_hardware_fault,
              .is_judged = hardware_is_judged,
              .how_it_ended = how_hardware_fault_ended},
    AlertRule{.name = "SparkErrorsGrow",
              .id = "SR-ALERT-018",
              .severity = kWarning,
              .message_id = "2f2c54a3cd991a8b3e3ae78516c13736",
              .remedy = "spark-reconcile doctor",
              .find = find_errors_grow,
              .is_judged = growth_is_judged,
              .how_it_ended = how_hardware_fault_ended},
    AlertRule{.name = "SparkPauseStorm",
              .id = "SR-ALERT-019",
              .severity = kWarning,
              .message_id = "534ac27c95e7ae28c73bbc7042588823",
              .remedy = "spark-reconcile doctor",
              .find = find_pause_storm,
              .is_judged = growth_is_judged,
              .how_it_ended = how_hardware_fault_ended},
    AlertRule{.name = "SparkRolloutHeld",
              .id = "SR-ALERT-025",
              .severity = kWarning,
              .message_id = "9e4b7c1d2f6a4835b0c9d8e7f6a5b4c3",
              .remedy = kRemedyOfRollout,
              .find = find_rollout_held,
              .how_it_ended = how_rollout_ended},
};
static_assert(std::ranges::all_of(kRules, [](const AlertRule& rule) { return rule.find; }));

}  // namespace

std::span<const AlertRule> alert_rules() { return kRules; }

const AlertRule* alert_rule(std::string_view name) {
  const auto found = std::ranges::find(kRules, name, &AlertRule::name);
  return found == kRules.end() ? nullptr : &*found;
}

}  // namespace spark::daemon
