#include "protocol/peers_report.hpp"

#include <algorithm>

#include "base/json_document.hpp"
#include "protocol/alive.hpp"

namespace spark::protocol {
namespace {

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
  if (!report) return report;
  const auto lived = silent_since("spark-peers", now, alive);
  if (!lived) return std::unexpected(lived.error());
  if (!*lived) return report;
  for (auto& heard : report->heard) {
    if (!heard.is_silent) heard.heard_ms = std::max(heard.heard_ms, (*lived)->count());
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
