#pragma once
// What never changes about the alerts: their names, ids and severity, and the figures by which they
// are judged.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace spark::daemon {

namespace alert_name {

inline constexpr std::string_view kNodeNotReady = "SparkNodeNotReady";
inline constexpr std::string_view kResourceFailed = "SparkResourceFailed";
inline constexpr std::string_view kDrift = "SparkDrift";
inline constexpr std::string_view kRecurringDrift = "SparkRecurringDrift";
inline constexpr std::string_view kContested = "SparkContested";
inline constexpr std::string_view kConfigRefused = "SparkConfigRefused";
inline constexpr std::string_view kGidMissing = "SparkGidMissing";
inline constexpr std::string_view kGidMoved = "SparkGidMoved";
inline constexpr std::string_view kLoopbackBelowFloor = "SparkLoopbackBelowFloor";
inline constexpr std::string_view kSinkFailing = "SparkSinkFailing";
inline constexpr std::string_view kChangesRefused = "SparkChangesRefused";
inline constexpr std::string_view kPassFailing = "SparkPassFailing";
inline constexpr std::string_view kStateLost = "SparkStateLost";

}  // namespace alert_name

enum class AlertSeverity : std::uint8_t { kWarning, kCritical };

/// What never changes about the alerts of one name.
struct AlertRule {
  std::string_view name;        ///< "SparkNodeNotReady"
  std::string_view id;          ///< SR-ALERT-NNN
  AlertSeverity severity{};     ///<
  std::string_view message_id;  ///< of its journal entries; systemd/spark-reconcile.catalog has it
  std::string_view remedy;      ///< what to do, where the cause has no remedy of its own
};

/// All alerts that this program raises, in the order of their ids. SR-ALERT-010 (a stale daemon)
/// can only be seen from outside.
std::span<const AlertRule> alert_rules();
/// Null: no such name.
const AlertRule* alert_rule(std::string_view name);

/// Drift that is to be corrected, and still is not: somebody holds the lock, or hangs.
constexpr std::chrono::minutes kDueWithin{1};
/// A card, a target or a peer comes back within that time, or somebody has to know.
constexpr std::chrono::minutes kWaitsWithin{15};
/// Drift that comes back more slowly than a contest.
constexpr std::size_t kRecurringTimes = 3;
constexpr std::chrono::hours kRecurringWithin{6};
/// A process with the old index notices within that time, or has ended.
constexpr std::chrono::minutes kGidMoveCounts{10};
/// What is lost does not come back: somebody has to know, also after a weekend.
constexpr std::chrono::hours kStateLossCounts{72};
/// One lost connection is no news.
constexpr std::uint64_t kSinkFailures = 3;

}  // namespace spark::daemon
