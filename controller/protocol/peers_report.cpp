#include "protocol/peers_report.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>

#include "base/json_document.hpp"

namespace spark::protocol {
namespace {

/// Within a century of the boot: what is reckoned with such a time, also in nanoseconds, is in
/// range.
bool is_boot_time(std::int64_t boot_ms) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::days(36'500);
  return boot_ms >= -kLongest.count() && boot_ms <= kLongest.count();
}

bool has_boot_times(const PeersReport& report) {
  return std::ranges::all_of(report.heard,
                             [](const HeardHello& heard) {
                               return is_boot_time(heard.heard_ms) && is_boot_time(heard.since_ms);
                             }) &&
         std::ranges::all_of(report.told,
                             [](const ToldDetails& told) {
                               return is_boot_time(told.told_ms) && is_boot_time(told.replaced_ms);
                             }) &&
         std::ranges::all_of(report.rdma, is_boot_time, &RdmaProof::tried_ms) &&
         std::ranges::all_of(report.refused, is_boot_time, &RefusedHello::heard_ms);
}

}  // namespace

Result<PeersReport> peers_report_from(const std::string& text) {
  auto report = document_from_text<PeersReport>(kPeersReportSchema, text);
  // The words of the parser may hold bytes of the text.
  if (!report || !has_boot_times(*report)) {
    return fail(ErrorCode::kInvalid, "what spark-peers reports is not understood");
  }
  return report;
}

Result<PeersReport> peers_report_at(std::chrono::milliseconds now, const std::string& text,
                                    const std::optional<std::string>& alive) {
  auto report = peers_report_from(text);
  if (!report || !alive) return report;
  std::int64_t until = 0;
  const auto [end, error] = std::from_chars(alive->data(), alive->data() + alive->size(), until);
  if (error != std::errc{} || !is_boot_time(until)) {
    return fail(ErrorCode::kInvalid, "when spark-peers lived last is not understood");
  }
  if (now.count() <= until) return report;
  const auto lived = until - std::chrono::milliseconds(kReportCounts).count();
  for (auto& heard : report->heard) {
    if (!heard.is_silent) heard.heard_ms = std::max(heard.heard_ms, lived);
    heard.is_silent = true;
  }
  report->told.clear();
  report->rdma.clear();
  if (report->failed.empty()) {
    report->failed =
        "spark-reconcile-peers hangs, or was killed: see `systemctl status "
        "spark-reconcile-peers`";
  }
  return report;
}

}  // namespace spark::protocol
