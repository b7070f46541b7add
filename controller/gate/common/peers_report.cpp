#include "gate/common/peers_report.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "base/moment.hpp"
#include "protocol/alive.hpp"
#include "protocol/peers_report.hpp"
#include "state/journal.hpp"

namespace spark::gate {

Result<std::optional<protocol::PeersReport>> read_peers_report(host::Host& host) {
  const auto read = [&](const std::string& path, std::size_t most_bytes) {
    return host.files.read_helpers(path, protocol::kPeersUser, most_bytes);
  };
  const auto document = protocol::read_aged(read, protocol::kPeersAliveFile,
                                            protocol::kPeersReportFile, protocol::kMostPeersBytes);
  if (!document) return std::unexpected(document.error());
  if (!document->text) return std::nullopt;
  auto report = protocol::peers_report_at(now().boot, *document->text, document->alive);
  if (!report) return std::unexpected(report.error());
  if (report->boot_id != state::boot_id(host)) return std::nullopt;
  return std::move(*report);
}

}  // namespace spark::gate
