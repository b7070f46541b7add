#include "bench/table.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace spark::bench {
namespace {

constexpr auto kLine = "{:<46} {:>9}  {:>9}  {:<19} {:<8} {}\n";

void print_line(const std::string& line) {
  static_cast<void>(std::fputs(line.c_str(), stdout));  // a table that nobody reads is no error
  static_cast<void>(std::fflush(stdout));
}

}  // namespace

double median(Series series) { return quantile(std::move(series), 0.5); }

double quantile(Series series, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(series.size()));
  const auto it = series.begin() + static_cast<std::ptrdiff_t>(std::min(at, series.size() - 1));
  std::ranges::nth_element(series, it);
  return *it;
}

std::string seconds_text(double seconds) {
  constexpr double kMilli = 1e-3;
  constexpr double kMicro = 1e-6;
  return seconds < kMilli ? fmt::format("{:.1f} us", seconds / kMicro)
                          : fmt::format("{:.2f} ms", seconds / kMilli);
}

std::string factor_text(double factor) { return fmt::format("x{:.2f}", factor); }

std::string mebibytes_text(double bytes) { return fmt::format("{:.1f} MiB", bytes / (1 << 20)); }

Row compare(std::string what, const Series& ours, const Series& peer, std::optional<double> limit,
            Format format) {
  Series ratios;
  std::ranges::transform(ours, peer, std::back_inserter(ratios), std::divides{});
  const double ratio = median(ratios);
  const auto [low, high] = std::ranges::minmax(ratios);
  return {.what = std::move(what),
          .ours = format(median(ours)),
          .peer = format(median(peer)),
          .ratio = fmt::format("{:.2f} ({:.2f}..{:.2f})", ratio, low, high),
          .target = limit ? fmt::format("<= {:.1f}", *limit) : "",
          .met = !limit || ratio <= *limit};
}

Row compare_quantile(std::string what, double share, const Series& ours, const Series& peer,
                     std::optional<double> limit) {
  const double our = quantile(ours, share);
  const double their = quantile(peer, share);
  const double ratio = our / their;
  return {.what = std::move(what),
          .ours = seconds_text(our),
          .peer = seconds_text(their),
          .ratio = fmt::format("{:.2f}", ratio),
          .target = limit ? fmt::format("<= {:.1f}", *limit) : "",
          .met = !limit || ratio <= *limit};
}

Table::Table(bool with_heading) {
  if (with_heading) {
    print_line(fmt::format(kLine, "what", "ours", "peer", "ratio (min..max)", "target", ""));
  }
}

void Table::add(const Row& row) {
  const auto* const verdict = row.target.empty() ? "" : row.met ? "ok" : "MISSED";
  print_line(fmt::format(kLine, row.what, row.ours, row.peer, row.ratio, row.target, verdict));
  all_met_ &= row.met;
}

}  // namespace spark::bench
