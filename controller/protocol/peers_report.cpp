#include "protocol/peers_report.hpp"

#include <algorithm>
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

}  // namespace spark::protocol
