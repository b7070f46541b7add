#include "helpers/web/page_last_day.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fields.hpp"
#include "base/html.hpp"
#include "base/text.hpp"
#include "cluster/view_words.hpp"
#include "helpers/web/page_parts.hpp"
#include "helpers/web/page_sections.hpp"
#include "node_state/time_text.hpp"

namespace spark::helpers {
namespace {

using protocol::Verdict;
using std::chrono::milliseconds;

constexpr milliseconds kDay = node_state::kVerdictsKept;

/// A part of the strip: how long before now it began and ended.
struct Part {
  Verdict verdict;
  milliseconds began;
  milliseconds ended;
};

/// A verdict, and for how long.
struct Span {
  Verdict verdict;
  milliseconds age;
};

/// Of spans with the newest first. A clock that was set must not turn the order round.
std::vector<Part> parts_of(const std::vector<Span>& spans) {
  std::vector<Part> parts;
  milliseconds ended{0};
  for (const auto& [verdict, age] : spans) {
    if (ended >= kDay) break;
    const auto began = std::clamp(age, ended, kDay);
    parts.push_back({.verdict = verdict, .began = began, .ended = ended});
    ended = began;
  }
  return parts;
}

std::vector<Part> own_parts(const node_state::NodeState& state, const Moment& now) {
  std::vector<Span> spans;
  for (const auto& [verdict, since] : state.verdicts)
    spans.push_back({verdict, node_state::age(since, now)});
  return parts_of(spans);
}

/// What a newer version calls otherwise is not known here.
Verdict known_verdict(std::string_view word) {
  return enum_named<protocol::Verdict>(word).value_or(Verdict::kUnknown);
}

/// By the clock of that node. What is known of it now is newer than what it told: since it is not
/// heard nobody knows, and a hello has its last verdict.
std::vector<Part> parts_of_peer(const protocol::ToldDetails& told, const cluster::NodeView& node,
                                milliseconds boot, const Moment& now) {
  const auto& verdicts = told.details.verdicts;
  if (verdicts.empty()) return {};
  std::vector<Span> spans;
  const bool is_heard = cluster::is_heard(node);
  if (!is_heard || known_verdict(verdicts.front().verdict) != node.verdict) {
    const auto verdict = is_heard ? node.verdict : Verdict::kUnknown;
    const auto told_ago = std::max(boot - milliseconds(told.told_ms), milliseconds(0));
    spans.push_back({verdict, node.since.value_or(told_ago)});
  }
  for (const auto& [verdict, since] : verdicts) {
    const auto wall = wall_from_utc(since);
    if (!wall) return {};
    spans.push_back({known_verdict(verdict), now.wall - *wall});
  }
  return parts_of(spans);
}

double percent(milliseconds of_day) {
  return 100.0 * static_cast<double>(of_day.count()) / static_cast<double>(kDay.count());
}

/// The worse, the taller: it is to be told without colours. A verdict of a moment is still seen.
std::string part_svg(const Part& part) {
  constexpr double kNarrowest = 0.3;
  constexpr int kBottom = 26;
  const auto look = look_of(part.verdict);
  const int height = part.verdict == Verdict::kReady      ? 10
                     : part.verdict == Verdict::kNotReady ? 26
                                                          : 18;
  const auto width = std::max(percent(part.began - part.ended), kNarrowest);
  return fmt::format(
      R"(<rect class="{}" x="{:.2f}%" y="{}" width="{:.2f}%" height="{}"><title>{}</title></rect>)",
      look.tone, std::clamp(100.0 - percent(part.began), 0.0, 100.0 - width), kBottom - height,
      width, height,
      fmt::format("{} for {}", name_of(part.verdict), duration_text(part.began - part.ended)));
}

/// Why there is nothing before the first part of this node.
std::string_view before_own(const std::vector<Part>& parts, const node_state::NodeState& state,
                            const Moment& now) {
  return parts.back().began >= node_state::age(state.started, now)
             ? "before that is not known: the daemon was started then"
             : "earlier changes are not kept";
}

/// "ready for 23 h, not ready for 10 min; 4 changes; earlier changes are not kept".
std::string words_of(const std::vector<Part>& parts, std::string_view before) {
  std::array<milliseconds, protocol::kVerdicts.size()> sums{};
  for (const auto& part : parts) {
    sums.at(static_cast<std::size_t>(part.verdict)) += part.began - part.ended;
  }
  std::vector<std::string> words;
  for (std::size_t verdict = 0; verdict < sums.size(); ++verdict) {
    if (sums.at(verdict) == milliseconds(0)) continue;
    words.push_back(
        fmt::format("{} for {}", protocol::kVerdicts.at(verdict), duration_text(sums.at(verdict))));
  }
  auto text = fmt::format("{}; {}", fmt::join(words, ", "), counted(parts.size() - 1, "change"));
  if (parts.back().began < kDay) text += fmt::format("; {}", before);
  return text;
}

std::string strip_svg(const std::vector<Part>& parts, std::string_view label) {
  std::string rects;
  for (const auto& part : parts) rects += part_svg(part);
  return fmt::format(R"(<svg class="strip" role="img" aria-label="{}">)"
                     R"(<rect class="base" x="0" y="25" width="100%" height="1"/>{}</svg>
)",
                     html(label), rects);
}

constexpr std::string_view kHours =
    R"(<p class="hours"><span>24 h ago</span><span>12 h ago</span><span>now</span></p>)"
    "\n";

/// With its name above it.
std::string day_of_node(const std::string& name, const std::vector<Part>& parts,
                        std::string_view before) {
  const auto words = words_of(parts, before);
  return fmt::format(R"(<p class="day"><span>{}</span> {}.</p>
{})",
                     html(name), html(words), strip_svg(parts, fmt::format("{}: {}", name, words)));
}

}  // namespace

std::string last_day_html(const node_state::NodeState& state, const Moment& now) {
  const auto parts = own_parts(state, now);
  if (parts.empty()) return {};
  const auto words = words_of(parts, before_own(parts, state, now));
  return card("The last day", fmt::format(R"({}{}<p class="legend">{}.</p>
)",
                                          strip_svg(parts, words), kHours, html(words)));
}

std::string last_days_html(const node_state::NodeState& state, const ShownCluster& cluster,
                           const Moment& now) {
  constexpr std::size_t kMostStrips = 32;
  std::string strips;
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const auto& node : cluster.view.nodes) {
    const auto* told = protocol::told_by(cluster.told, node.name);
    const auto parts = node.is_own       ? own_parts(state, now)
                       : told == nullptr ? std::vector<Part>()
                                         : parts_of_peer(*told, node, cluster.now, now);
    if (parts.empty()) continue;
    if (shown == kMostStrips) {
      ++left_out;
      continue;
    }
    ++shown;
    strips += day_of_node(node.name, parts,
                          node.is_own ? before_own(parts, state, now) : "before that is not told");
  }
  if (shown == 0) return {};
  if (left_out > 0) strips += sentence(fmt::format("{} more are not shown", left_out));
  return card("The last day", strips + std::string(kHours));
}

}  // namespace spark::helpers
