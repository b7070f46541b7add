#pragma once
// time_text: Moments and durations as numbers and texts.

#include <chrono>
#include <string>

#include "base/duration_text.hpp"  // IWYU pragma: export
#include "base/moment.hpp"

namespace spark::node_state {

/// False for a Moment{}, which stands for never.
bool is_set(const Moment& moment);

/// Seconds since 1970, as metrics have them; 0 for never.
double unix_seconds(const Moment& moment);

/// "2031-04-05 06:07:08 UTC".
std::string utc_words(const Moment& moment);

/// "06:07:08 UTC".
std::string utc_clock(const Moment& moment);

/// A duration as metrics and JSON have it.
double in_seconds(std::chrono::nanoseconds duration);

/// How long ago `since` was; zero if it is still to come. Uses the boot clock, which nobody sets,
/// unless `since` is from before this boot.
std::chrono::milliseconds age(const Moment& since, const Moment& now);

}  // namespace spark::node_state
