#include "cli/input/asked_time.hpp"

#include <algorithm>

#include "base/moment.hpp"

namespace spark::cli {
namespace {

constexpr std::size_t kDateSize = sizeof "2026-11-28" - 1;
constexpr std::size_t kMinuteSize = sizeof "03:12" - 1;

/// strptime takes "2026-1-1" and blanks too.
std::optional<AskedTime> exactly(const std::string& text) {
  const auto time = wall_from_utc(text);
  return time && utc_text(*time) == text ? time : std::nullopt;
}

std::optional<AskedTime> on_day(const std::string& date, const std::string& clock) {
  return exactly(date + "T" + clock + (clock.size() == kMinuteSize ? ":00Z" : "Z"));
}

}  // namespace

std::optional<AskedTime> asked_time(const std::string& text, AskedTime now) {
  if (text.size() <= kDateSize) {
    const auto today = on_day(utc_text(now).substr(0, kDateSize), text);
    return today && *today > now ? *today - std::chrono::days(1) : today;
  }
  if (text[kDateSize] != ' ' && text[kDateSize] != 'T') return std::nullopt;
  auto clock = text.substr(kDateSize + 1);
  if (clock.ends_with('Z')) clock.pop_back();
  return on_day(text.substr(0, kDateSize), clock);
}

std::chrono::milliseconds length_of_time(const std::string& text) {
  return std::chrono::minutes(std::ranges::count(text, ':') == 1 ? 1 : 0);
}

}  // namespace spark::cli
