#pragma once
// asked_time: a time as people write it, in UTC as all times of this program.

#include <chrono>
#include <optional>
#include <string>

namespace spark::cli {

using AskedTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// "03:12" or "03:12:05": the last one that has passed; "2026-11-28 03:12" or, as `events` shows
/// it, "2026-11-28T03:12:05Z". Empty: it is none of these.
std::optional<AskedTime> asked_time(const std::string& text, AskedTime now);

/// Of a time that asked_time takes: one without seconds is a minute.
std::chrono::milliseconds length_of_time(const std::string& text);

}  // namespace spark::cli
