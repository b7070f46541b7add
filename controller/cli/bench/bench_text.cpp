#include "cli/bench/bench_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "cli/bench/scopes.hpp"
#include "cli/bench/verdict.hpp"
#include "cli/text/layout.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kNoNumber = "–";
constexpr std::size_t kTableGap = 2;
constexpr std::size_t kNumberColumns = 4;

std::string right_aligned(std::string_view text, std::size_t width) {
  const auto used = columns(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

std::string centred(std::string_view text, std::size_t width) {
  const auto room = width - std::min(width, columns(text));
  return padded(std::string(room - room / 2, ' ') + std::string(text), width);
}

std::string one_decimal(double bits) { return fmt::format("{:.1f}", bits / kBitsOfGigabit); }

/// What fits of the table: of a narrow terminal the links, then the latency, are left to lines
/// below.
struct TableLayout {
  std::size_t name = 0;
  std::size_t link = 0;  ///< 0: not in the table
  std::size_t number = 8;
  std::size_t latency = 8;  ///< 0: not in the table

  [[nodiscard]] std::size_t head() const {
    return kTableGap + name + (link > 0 ? kTableGap + link : 0);
  }
  [[nodiscard]] std::size_t width() const { return head() + kNumberColumns * number + 2 * latency; }
};

TableLayout layout_of(const std::vector<BenchScope>& scopes, std::optional<std::size_t> width) {
  TableLayout layout;
  for (const auto& scope : scopes) {
    layout.name = std::max(layout.name, columns(scope.name));
    if (scope.rail != nullptr) {
      layout.link = std::max(layout.link, columns(printable(scope.rail->link)));
    }
  }
  if (!width || layout.width() <= *width) return layout;
  layout.link = 0;
  layout.number = 7;
  layout.latency = 7;
  if (layout.width() <= *width) return layout;
  layout.number = 6;
  layout.latency = 0;
  return layout;
}

std::string table_head(const TableLayout& layout) {
  const std::string blanks(layout.head(), ' ');
  auto groups =
      blanks + centred("WRITE, Gb/s", 2 * layout.number) + centred("READ, Gb/s", 2 * layout.number);
  auto ways = blanks;
  for (const auto& column : bench_columns()) ways += right_aligned(column.direction, layout.number);
  if (layout.latency > 0) {
    groups += centred("latency, µs", 2 * layout.latency);
    ways += right_aligned("p50", layout.latency) + right_aligned("p99", layout.latency);
  }
  return without_end_blanks(groups) + "\n" + ways + "\n";
}

std::string cell_of(const state::BenchFigure* figure, std::size_t width) {
  if (figure == nullptr) return std::string(width, ' ');
  const auto bits = bits_of(figure);
  return right_aligned(bits > 0 ? one_decimal(bits) : std::string(kNoNumber), width);
}

std::string latency_cell(double microseconds, std::size_t width) {
  return right_aligned(
      microseconds > 0 ? fmt::format("{:.1f}", microseconds) : std::string(kNoNumber), width);
}

std::string table_row(const state::BenchResult& result, const BenchScope& scope,
                      const TableLayout& layout) {
  auto line = "  " + padded(scope.name, layout.name);
  if (layout.link > 0) {
    line += "  " + padded(scope.rail == nullptr ? "" : printable(scope.rail->link), layout.link);
  }
  for (const auto& column : bench_columns()) {
    line += cell_of(find_figure(result, scope.links, column.operation, column.direction),
                    layout.number);
  }
  if (layout.latency > 0 && scope.rail != nullptr) {
    line += latency_cell(scope.rail->latency_p50_us, layout.latency) +
            latency_cell(scope.rail->latency_p99_us, layout.latency);
  }
  return without_end_blanks(std::move(line)) + "\n";
}

/// Lines "  name      text", whose texts line up.
class LabelledLines {
 public:
  explicit LabelledLines(const Terminal& terminal) : width_(terminal.width()) {}

  void add(std::string_view label, const std::string& text) {
    if (text.empty()) return;
    constexpr std::size_t kLabelColumns = 16;
    const auto head = fmt::format("  {}  ", padded(label, kLabelColumns));
    text_ += width_ ? hanging(head, text, *width_) : fmt::format("{}{}\n", head, text);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::optional<std::size_t> width_;
  std::string text_;
};

std::string ceiling_text(const state::BenchResult& result) {
  if (!is_connectx(result)) return "";
  std::vector<std::string> parts;
  const auto alone = bench_ceiling(result, {result.rails.front().link});
  const auto together = bench_ceiling(result, bench_links(result));
  if (alone)
    parts.push_back(fmt::format("about {:.0f} Gb/s over one rail", *alone / kBitsOfGigabit));
  if (together && result.rails.size() > 1) {
    parts.push_back(fmt::format("{:.0f} over {}", *together / kBitsOfGigabit,
                                bench_scopes(result).back().name));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string path_mtu_text(const state::BenchResult& result) {
  std::vector<std::string> sizes;
  for (const auto& rail : result.rails) {
    auto size = rail.path_mtu == 0 ? std::string(kNoNumber) : std::to_string(rail.path_mtu);
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(std::move(size));
  }
  return listed(sizes);
}

std::string both_directions_text(const state::BenchResult& result) {
  const auto* figure = find_figure(result, bench_links(result), "write", "both");
  if (figure == nullptr) return "";
  const auto bits = bits_of(figure);
  return bits > 0 ? one_decimal(bits) + " Gb/s in sum, WRITE both ways at once"
                  : std::string(kNoNumber);
}

/// Those that the table has no room for.
void add_latency(const std::vector<BenchScope>& scopes, LabelledLines& lines) {
  for (const auto& scope : scopes) {
    if (scope.rail == nullptr || scope.rail->latency_p50_us <= 0) continue;
    lines.add("latency", fmt::format("{}: p50 {:.1f} µs, p99 {:.1f} µs", scope.name,
                                     scope.rail->latency_p50_us, scope.rail->latency_p99_us));
  }
}

void add_links(const std::vector<BenchScope>& scopes, LabelledLines& lines) {
  for (const auto& scope : scopes) {
    if (scope.rail != nullptr) lines.add(scope.name, printable(scope.rail->link));
  }
}

/// The numbers that failed for that reason: a scope of which each number did is named alone.
std::vector<std::string> names_of_failed(const state::BenchResult& result,
                                         const std::string& reason) {
  std::vector<std::string> names;
  for (const auto& scope : bench_scopes(result)) {
    std::vector<std::string> failed;
    std::size_t count = 0;
    for (const auto& figure : result.figures) {
      if (figure.links != scope.links) continue;
      ++count;
      if (figure.failed == reason) failed.push_back(figure_name(result, figure));
    }
    if (failed.size() == count && count > 1) failed = {scope.name};
    std::ranges::move(failed, std::back_inserter(names));
  }
  return names;
}

/// Each reason once.
void add_failures(const state::BenchResult& result, LabelledLines& lines) {
  std::vector<std::string> reasons;
  for (const auto& figure : result.figures) {
    const bool is_new = std::ranges::find(reasons, figure.failed) == reasons.end();
    if (!figure.failed.empty() && is_new) reasons.push_back(figure.failed);
  }
  for (const auto& reason : reasons) {
    lines.add(fmt::format("{} no number", kNoNumber),
              fmt::format("{}: {}", listed(names_of_failed(result, reason)), printable(reason)));
  }
}

std::string verdict_text(const BenchVerdict& verdict, const Terminal& terminal) {
  const auto sign =
      verdict.good ? terminal.paint(Tone::kGood, "✓") : terminal.paint(Tone::kBad, "!");
  const auto head = fmt::format("  {} ", sign);
  const auto what = fmt::format("{}: {}", verdict.name, verdict.what);
  const std::string_view remedy_head = "    → ";
  if (!terminal.width()) {
    return fmt::format("{}{}\n{}", head, what,
                       verdict.remedy.empty() ? std::string()
                                              : fmt::format("{}{}\n", remedy_head, verdict.remedy));
  }
  return hanging(head, what, *terminal.width()) +
         (verdict.remedy.empty() ? "" : hanging(remedy_head, verdict.remedy, *terminal.width()));
}

std::string title_text(const state::BenchResult& result, const Terminal& terminal) {
  const auto names = fmt::format("{} with {}", printable(result.node), printable(result.peer));
  const auto left = terminal.paint(Tone::kStrong, names);
  const auto at = printable(result.at);
  return terminal.width() ? row(left, at, *terminal.width()) : fmt::format("{}  {}\n", left, at);
}

}  // namespace

std::string bench_text(const state::BenchResult& result, const Terminal& terminal) {
  const auto scopes = bench_scopes(result);
  const auto layout = layout_of(scopes, terminal.width());
  auto text = title_text(result, terminal);
  if (!scopes.empty()) text += "\n" + table_head(layout);
  for (const auto& scope : scopes) text += table_row(result, scope, layout);

  LabelledLines lines(terminal);
  if (layout.link == 0) add_links(scopes, lines);
  if (layout.latency == 0) add_latency(scopes, lines);
  lines.add("both directions", both_directions_text(result));
  lines.add("hardware carries", ceiling_text(result));
  lines.add("owners see", owners_see(result));
  if (!scopes.empty()) {
    lines.add(
        "measured with",
        fmt::format("path MTU {}, {} on each rail, {} for each number", path_mtu_text(result),
                    counted(result.queue_pairs, "queue pair"), counted(result.seconds, "second")));
  }
  for (const auto& job : result.jobs) lines.add("beside it", printable(job));
  add_failures(result, lines);
  if (!lines.text().empty()) text += "\n" + lines.text();
  text += "\n";
  for (const auto& verdict : bench_verdicts(result)) text += verdict_text(verdict, terminal);
  return text;
}

std::string bench_change(const state::BenchResult& before, const state::BenchResult& now) {
  constexpr double kNoise = 0.1;
  const auto earlier = bench_total(before);
  const auto total = bench_total(now);
  if (!earlier || !total || !are_comparable(before, now) ||
      std::abs(*total - *earlier) <= kNoise * *earlier) {
    return "";
  }
  return fmt::format("{:.0f} → {:.0f} Gb/s since {}", *earlier / kBitsOfGigabit,
                     *total / kBitsOfGigabit, printable(before.at));
}

}  // namespace spark::cli
