#pragma once
// Signs in words.

#include <chrono>
#include <string>
#include <string_view>

#include "jobs/records.hpp"

namespace spark::jobs {

/// "03:11:58", UTC.
std::string clock_text(Time at);
/// "2.1 s", "90 s", from two minutes on as other durations.
std::string short_duration(std::chrono::milliseconds duration);
/// "lost its carrier", "had no memory left".
std::string_view what_text(Sign sign);
/// "rail 1 of spark2", with its cage where `with_cage`; the node where the sign is of no link.
std::string place_text(const Placed& placed, bool with_cage);
/// "rail 1 of spark2 lost its carrier at 03:11:58 for 2.1 s (by hand)".
std::string sentence_of(const Placed& placed, bool with_cage);
/// The same without its time.
std::string clause_of(const Placed& placed, bool with_cage);

}  // namespace spark::jobs
