#include "helpers/web/page_last_day.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/html.hpp"
#include "base/text.hpp"
#include "daemon/common/time_text.hpp"
#include "helpers/web/page_parts.hpp"
#include "helpers/web/page_sections.hpp"

namespace spark::helpers {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDay = daemon::kVerdictsKept;

/// A part of the strip: how long before now it began and ended.
struct Part {
  gate::Verdict verdict;
  milliseconds began;
  milliseconds ended;
};

/// The newest first.
std::vector<Part> parts_of(const daemon::NodeState& state, const Moment& now) {
  std::vector<Part> parts;
  milliseconds ended{0};
  for (const auto& [verdict, since] : state.verdicts) {
    if (ended >= kDay) break;
    const auto began = std::min(daemon::age(since, now), kDay);
    parts.push_back({.verdict = verdict, .began = began, .ended = ended});
    ended = began;
  }
  return parts;
}

double percent(milliseconds of_day) {
  return 100.0 * static_cast<double>(of_day.count()) / static_cast<double>(kDay.count());
}

/// The worse, the taller: it is to be told without colours. A verdict of a moment is still seen.
std::string part_svg(const Part& part) {
  constexpr double kNarrowest = 0.3;
  constexpr int kBottom = 26;
  const auto look = look_of(part.verdict);
  const int height = part.verdict == gate::Verdict::kReady      ? 10
                     : part.verdict == gate::Verdict::kNotReady ? 26
                                                                : 18;
  const auto width = std::max(percent(part.began - part.ended), kNarrowest);
  return fmt::format(
      R"(<rect class="{}" x="{:.2f}%" y="{}" width="{:.2f}%" height="{}"><title>{}</title></rect>)",
      look.tone, std::clamp(100.0 - percent(part.began), 0.0, 100.0 - width), kBottom - height,
      width, height, fmt::format("{} for {}", look.word, duration_text(part.began - part.ended)));
}

/// Why there is nothing before the first part.
std::string before_text(const Part& first, const daemon::NodeState& state, const Moment& now) {
  if (first.began >= kDay) return {};
  const bool is_since_start = first.began >= daemon::age(state.started, now);
  return is_since_start ? "; before that is not known: the daemon was started then"
                        : "; earlier changes are not kept";
}

/// "ready for 23 h, not ready for 10 min; 4 changes; earlier changes are not kept".
std::string words_of(const std::vector<Part>& parts, const daemon::NodeState& state,
                     const Moment& now) {
  std::array<milliseconds, gate::kVerdicts.size()> sums{};
  for (const auto& part : parts) {
    sums.at(static_cast<std::size_t>(part.verdict)) += part.began - part.ended;
  }
  std::vector<std::string> words;
  for (std::size_t verdict = 0; verdict < sums.size(); ++verdict) {
    if (sums.at(verdict) == milliseconds(0)) continue;
    words.push_back(
        fmt::format("{} for {}", gate::kVerdicts.at(verdict), duration_text(sums.at(verdict))));
  }
  auto text = fmt::format("{}; {}", fmt::join(words, ", "), counted(parts.size() - 1, "change"));
  return text + before_text(parts.back(), state, now);
}

}  // namespace

std::string last_day_html(const daemon::NodeState& state, const Moment& now) {
  const auto parts = parts_of(state, now);
  if (parts.empty()) return {};
  const auto words = html(words_of(parts, state, now));
  std::string rects;
  for (const auto& part : parts) rects += part_svg(part);
  return card("The last day",
              fmt::format(R"(<svg class="strip" role="img" aria-label="{}">)"
                          R"(<rect class="base" x="0" y="25" width="100%" height="1"/>{}</svg>
<p class="hours"><span>24 h ago</span><span>12 h ago</span><span>now</span></p>
<p class="legend">{}.</p>
)",
                          words, rects, words));
}

}  // namespace spark::helpers
