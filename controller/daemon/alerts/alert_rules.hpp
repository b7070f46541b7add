#pragma once
// The names of the alerts, and the figures by which they are judged.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spark {

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

/// Drift that is to be corrected, and still is not: somebody holds the lock, or cannot let go.
constexpr std::chrono::minutes kDueWithin{1};
/// A card, a target or a peer comes back within that time, or somebody has to know.
constexpr std::chrono::minutes kWaitsWithin{15};
/// Drift that comes back more slowly than a contest.
constexpr std::size_t kRecurringTimes = 3;
constexpr std::chrono::hours kRecurringWithin{6};
/// Who holds the old index notices within that time, or has ended.
constexpr std::chrono::minutes kGidMoveCounts{10};
/// What is lost does not come back: somebody has to know, also after a weekend.
constexpr std::chrono::hours kStateLossCounts{72};
/// One lost connection is no news.
constexpr std::uint64_t kSinkFailures = 3;

}  // namespace spark
