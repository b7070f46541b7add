#include "gate/common/peers_report.hpp"

#include <utility>

#include "base/json_document.hpp"
#include "state/journal.hpp"

namespace spark::gate {

Result<std::optional<protocol::PeersReport>> read_peers_report(host::Host& host) {
  const auto text = host.files.read(protocol::kPeersReportFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto report = document_from_text<protocol::PeersReport>(protocol::kPeersReportSchema, **text);
  // The words of the parser may hold bytes of the file.
  if (!report) return fail(ErrorCode::kInvalid, "what spark-peers reports is not understood");
  if (report->boot_id != state::boot_id(host)) return std::nullopt;
  return std::move(*report);
}

}  // namespace spark::gate
