#include "gate/common/peers_report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/json_document.hpp"
#include "state/journal.hpp"

namespace spark::gate {
namespace {

/// Within a century of the boot: what is reckoned with such a time, also in nanoseconds, is in
/// range.
bool is_boot_time(std::int64_t boot_ms) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::days(36'500);
  return boot_ms >= -kLongest.count() && boot_ms <= kLongest.count();
}

bool has_boot_times(const protocol::PeersReport& report) {
  return std::ranges::all_of(report.heard,
                             [](const protocol::HeardHello& heard) {
                               return is_boot_time(heard.heard_ms) && is_boot_time(heard.since_ms);
                             }) &&
         std::ranges::all_of(report.told,
                             [](const protocol::ToldDetails& told) {
                               return is_boot_time(told.told_ms) && is_boot_time(told.replaced_ms);
                             }) &&
         std::ranges::all_of(report.rdma, is_boot_time, &protocol::RdmaProof::tried_ms) &&
         std::ranges::all_of(report.refused, is_boot_time, &protocol::RefusedHello::heard_ms);
}

}  // namespace

Result<std::optional<protocol::PeersReport>> read_peers_report(host::Host& host) {
  const auto text = host.files.read(protocol::kPeersReportFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto report = document_from_text<protocol::PeersReport>(protocol::kPeersReportSchema, **text);
  // The words of the parser may hold bytes of the file.
  if (!report || !has_boot_times(*report)) {
    return fail(ErrorCode::kInvalid, "what spark-peers reports is not understood");
  }
  if (report->boot_id != state::boot_id(host)) return std::nullopt;
  return std::move(*report);
}

}  // namespace spark::gate
