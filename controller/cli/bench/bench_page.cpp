#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/html.hpp"
#include "base/text.hpp"
#include "cli/bench/bench_text.hpp"
#include "cli/bench/scopes.hpp"
#include "cli/bench/verdict.hpp"

namespace spark::cli {
namespace {

// The colours of the page of spark-web, controller/helpers/web/page.css.
constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f8; --card: #fff; --text: #1b1f24; --quiet: #5b6570; --rule: #dfe3e8;
  --good: #1a7340; --warn: #8a5300; --write: #0b5cad; --read: #6a4fb3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #111418; --card: #191d22; --text: #e4e8ec; --quiet: #9aa5b1; --rule: #2d343c;
    --good: #5fcb8b; --warn: #e8b455; --write: #7db8f5; --read: #b7a3f0;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 860px; padding: 24px 16px 40px; background: var(--page);
  color: var(--text); overflow-wrap: anywhere; font: 15px/1.5 system-ui, sans-serif;
}
h1 { font-size: 24px; line-height: 1.2; margin: 0; }
h2 { font-size: 18px; margin: 0 0 4px; }
h3 { font-size: 15px; margin: 16px 0 4px; }
p { margin: 0; }
code { font: 13px ui-monospace, monospace; }
.quiet { color: var(--quiet); }
section {
  background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 16px 18px; margin-top: 14px;
}
.verdict { border-left: 4px solid var(--warn); padding-left: 10px; margin-top: 10px; }
.verdict.good { border-color: var(--good); }
.bars { display: grid; grid-template-columns: minmax(0, max-content) minmax(80px, 1fr) auto; gap: 4px 10px; align-items: center; }
.bars .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: 12px; }
svg .track { fill: var(--rule); }
svg .write { fill: var(--write); }
svg .read { fill: var(--read); }
.wide { overflow-x: auto; margin-top: 16px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 4px 8px; border-top: 1px solid var(--rule); }
th { font-weight: 600; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
)css";

std::string number_html(double bits) {
  return bits > 0 ? fmt::format("{:.1f}", bits / kBitsOfGigabit) : "–";
}

/// What a full bar stands for, bits a second.
struct BarScale {
  double full = 0;
  bool is_ceiling = false;  ///< of the hardware; else the largest number
};

BarScale scale_of(const state::BenchResult& result, const std::vector<std::string>& links) {
  const auto ceiling = is_connectx(result) ? bench_ceiling(result, links) : std::nullopt;
  if (ceiling) return {*ceiling, true};
  double largest = 1;
  for (const auto& figure : result.figures) largest = std::max(largest, bits_of(&figure));
  return {largest, false};
}

std::string bar_html(std::string_view label, std::string_view operation, double bits, double full) {
  constexpr double kPercent = 100;
  const auto share = std::clamp(bits / full * kPercent, 0.0, kPercent);
  return fmt::format(
      "<span>{}</span><svg role=\"img\" aria-label=\"{:.0f} %\"><rect class=\"track\" "
      "width=\"100%\" height=\"12\" rx=\"3\"/><rect class=\"{}\" width=\"{:.1f}%\" height=\"12\" "
      "rx=\"3\"/></svg><span class=\"number\">{}{}</span>\n",
      html(label), share, operation, share, number_html(bits), bits > 0 ? " Gb/s" : "");
}

std::string scope_bars(const state::BenchResult& result, const BenchScope& scope) {
  const auto scale = scale_of(result, scope.links);
  std::string bars;
  for (const auto& column : bench_columns()) {
    const auto* figure = find_figure(result, scope.links, column.operation, column.direction);
    if (figure == nullptr) continue;
    bars += bar_html(fmt::format("{} {}", column.title, printable(result.peer)), column.operation,
                     bits_of(figure), scale.full);
  }
  const auto* both = find_figure(result, scope.links, "write", "both");
  if (both != nullptr) {
    const auto full = scale.is_ceiling ? 2 * scale.full : scale.full;
    bars += bar_html("WRITE both ways at once", "write", bits_of(both), full);
  }
  if (bars.empty()) return "";
  const auto limit = scale.is_ceiling ? fmt::format(", which can carry about {:.0f} Gb/s each way",
                                                    scale.full / kBitsOfGigabit)
                                      : std::string();
  const auto link = scope.rail == nullptr ? "" : " <code>" + html(scope.rail->link) + "</code>";
  return fmt::format(
      "<h3>{}{}<span class=\"quiet\">{}</span></h3>\n<div class=\"bars\">\n{}</div>\n",
      html(scope.name), link, limit, bars);
}

std::string microseconds(double value) { return value > 0 ? fmt::format("{:.1f}", value) : "–"; }

std::string numbers_row(const state::BenchResult& result, const BenchScope& scope) {
  auto cells = fmt::format("<td>{}</td>", html(scope.name));
  for (const auto& column : bench_columns()) {
    const auto* figure = find_figure(result, scope.links, column.operation, column.direction);
    cells += fmt::format("<td>{}</td>", figure == nullptr ? "" : number_html(bits_of(figure)));
  }
  cells += scope.rail == nullptr
               ? "<td></td><td></td>"
               : fmt::format("<td>{}</td><td>{}</td>", microseconds(scope.rail->latency_p50_us),
                             microseconds(scope.rail->latency_p99_us));
  return fmt::format("<tr>{}</tr>\n", cells);
}

std::string numbers_table(const state::BenchResult& result) {
  std::string head = "<th>Gb/s</th>";
  for (const auto& column : bench_columns()) head += fmt::format("<th>{}</th>", column.title);
  std::string rows;
  for (const auto& scope : bench_scopes(result)) rows += numbers_row(result, scope);
  return fmt::format(
      "<div class=\"wide\"><table>\n<tr>{}<th>p50, µs</th><th>p99, "
      "µs</th></tr>\n{}</table></div>\n",
      head, rows);
}

std::string verdicts_html(const state::BenchResult& result) {
  std::string text;
  for (const auto& verdict : bench_verdicts(result)) {
    text +=
        fmt::format("<div class=\"verdict{}\"><p>{} <strong>{}</strong>: {}</p>{}</div>\n",
                    verdict.good ? " good" : "", verdict.good ? "✓" : "!", html(verdict.name),
                    html(verdict.what),
                    verdict.remedy.empty() ? "" : fmt::format("<p>{}</p>", prose(verdict.remedy)));
  }
  return text;
}

/// Who runs which job, and what an error names, is for the owner alone: both may identify people
/// and machines.
std::string conditions_html(const state::BenchResult& result) {
  auto text =
      fmt::format("{}, {} on each rail, {} for each number", html(result.at),
                  counted(result.queue_pairs, "queue pair"), counted(result.seconds, "second"));
  if (!result.jobs.empty()) {
    text += fmt::format("; {} ran beside it", counted(result.jobs.size(), "job"));
  }
  return fmt::format("<p class=\"quiet\">{}; spark-reconcile {}</p>\n", text, html(result.version));
}

std::string section_html(const state::BenchResult& result) {
  auto text = fmt::format("<section>\n<h2>{} with {}</h2>\n", html(result.node), html(result.peer));
  text += conditions_html(result) + verdicts_html(result);
  for (const auto& scope : bench_scopes(result)) text += scope_bars(result, scope);
  text += numbers_table(result);
  if (const auto seen = owners_see(result); !seen.empty()) {
    text += fmt::format("<p class=\"quiet\">owners see {}</p>\n", html(seen));
  }
  return text + "</section>\n";
}

}  // namespace

std::string bench_page(const std::vector<state::BenchResult>& results) {
  const auto node = results.empty() ? std::string("spark-reconcile") : html(results.front().node);
  std::string sections;
  for (const auto& result : results) sections += section_html(result);
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}: RDMA bandwidth</title>
<style>{1}</style>
</head>
<body>
<h1>{0}: RDMA bandwidth</h1>
{2}</body>
</html>
)",
                     node, kStyle, sections);
}

}  // namespace spark::cli
