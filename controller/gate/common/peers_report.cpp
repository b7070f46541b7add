#include "gate/common/peers_report.hpp"

#include <utility>

#include "base/moment.hpp"
#include "protocol/alive.hpp"
#include "protocol/peers_report.hpp"
#include "state/journal.hpp"

namespace spark::gate {

Result<std::optional<protocol::PeersReport>> read_peers_report(host::Host& host) {
  // First: a process that begins again writes it last, and what another left must not count by it.
  const auto alive = host.files.read_helpers(protocol::kPeersAliveFile, protocol::kPeersUser,
                                             protocol::kMostAliveBytes);
  if (!alive) return std::unexpected(alive.error());
  const auto text = host.files.read_helpers(protocol::kPeersReportFile, protocol::kPeersUser,
                                            protocol::kMostPeersBytes);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto report = protocol::peers_report_at(now().boot, **text, *alive);
  if (!report) return std::unexpected(report.error());
  if (report->boot_id != state::boot_id(host)) return std::nullopt;
  return std::move(*report);
}

}  // namespace spark::gate
