#include "cli/text/event_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/moment.hpp"
#include "cli/text/layout.hpp"

namespace spark::cli {
namespace {

using state::Event;
using EventSeries = std::span<const Event>;

constexpr std::chrono::seconds kLongestGapInSeries{10};
/// Of fewer events each has its line.
constexpr std::size_t kMostSingle = 2;

struct SeveritySign {
  std::string_view name;
  Tone tone;
  const char* mark;
};
/// The least severe first.
constexpr std::array kSeverities{
    SeveritySign{"info", Tone::kGood, "✓"}, SeveritySign{"notice", Tone::kPlain, "·"},
    SeveritySign{"warning", Tone::kChange, "!"}, SeveritySign{"error", Tone::kBad, "✗"}};

/// A correction is worth a line of the journal, and good news all the same.
std::size_t severity_of(const Event& event) {
  const std::string_view name =
      event.what == "corrected" ? std::string_view("info") : std::string_view(event.severity);
  const auto found = std::ranges::find(kSeverities, name, &SeveritySign::name);
  return found == kSeverities.end() ? 1 : static_cast<std::size_t>(found - kSeverities.begin());
}

std::string line_of_event(std::string_view at, std::size_t severity, const std::string& text,
                          const Terminal& terminal) {
  const auto& [name, tone, mark] = kSeverities.at(severity);
  const auto head = fmt::format("{}  {} ", printable(at), terminal.paint(tone, mark));
  return terminal.width() ? hanging(head, printable(text), *terminal.width())
                          : head + printable(text) + "\n";
}

std::string words_of_event(const Event& event) {
  return fmt::format("{}{}{}{}", event.text, event.remedy.empty() ? "" : "; ", event.remedy,
                     event.change_id.empty() ? "" : fmt::format(" (change {})", event.change_id));
}

/// What somebody else changed has a line of its own, which names who, and so has what failed.
bool belongs_to_series(const Event& event) {
  return event.what == "verdict" || event.what == "gid_moved" ||
         (event.what == "corrected" && !event.cause.empty() && event.cause != "drift");
}

bool follows_soon(const Event& former, const Event& event) {
  const auto before = wall_from_utc(former.at);
  const auto after = wall_from_utc(event.at);
  return before && after && *after - *before <= kLongestGapInSeries;
}

/// How many of the first events are one series; 1: the first one stands alone.
std::size_t size_of_series(EventSeries events) {
  std::string_view cause;
  std::size_t size = 0;
  for (; size < events.size() && belongs_to_series(events[size]); ++size) {
    if (size > 0 && !follows_soon(events[size - 1], events[size])) break;
    const std::string_view own = events[size].cause;
    if (!own.empty() && !cause.empty() && own != cause) break;
    if (!own.empty()) cause = own;
  }
  return std::max<std::size_t>(size, 1);
}

/// "18 corrections, 4 moved GIDs (link); spark1: ready; 28 in sync", of all events but `lead`.
std::string rest_of_series(EventSeries series, const Event& lead) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNouns{
      {{"corrected", "correction"}, {"gid_moved", "moved GID"}, {"verdict", "verdict"}}};
  const auto& last = series.back();
  const bool ends_with_verdict = last.what == "verdict" && &last != &lead;
  std::vector<std::string> counts;
  for (const auto& [what, noun] : kNouns) {
    const auto count = std::ranges::count_if(series, [&](const Event& event) {
      return event.what == what && &event != &lead && !(ends_with_verdict && &event == &last);
    });
    if (count > 0) counts.push_back(counted(static_cast<std::size_t>(count), noun));
  }
  const auto caused =
      std::ranges::find_if(series, [](const Event& event) { return !event.cause.empty(); });
  auto text = fmt::format("{}", fmt::join(counts, ", "));
  if (caused != series.end()) text += fmt::format(" ({})", caused->cause);
  return ends_with_verdict ? text + "; " + words_of_event(last) : text;
}

std::string series_text(EventSeries series, const Terminal& terminal) {
  const auto lead = std::ranges::max_element(series, {}, [](const Event& event) {
    return std::pair(!event.remedy.empty(), severity_of(event));
  });
  const auto severity = std::ranges::max(series | std::views::transform(severity_of));
  return line_of_event(
      series.front().at, severity,
      fmt::format("{}; then {}", words_of_event(*lead), rest_of_series(series, *lead)), terminal);
}

}  // namespace

std::string events_text(std::span<const Event> events, bool each, const Terminal& terminal) {
  std::string text;
  while (!events.empty()) {
    const auto size = each ? 1 : size_of_series(events);
    if (size > kMostSingle) {
      text += series_text(events.first(size), terminal);
    } else {
      for (const auto& event : events.first(size)) {
        text += line_of_event(event.at, severity_of(event), words_of_event(event), terminal);
      }
    }
    events = events.subspan(size);
  }
  return text;
}

}  // namespace spark::cli
