#include "cli/node_here.hpp"

#include <utility>

#include <fmt/format.h>

#include "daemon/common/time_text.hpp"
#include "daemon/export/node_document.hpp"
#include "protocol/web.hpp"
#include "state/journal.hpp"

namespace spark::cli {

Result<std::optional<NodeHere>> node_here(host::Host& host) {
  const auto text = host.files.read(protocol::kNodeStateFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto document = daemon::node_document_from(**text);
  if (!document) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("'{}' is not understood: {}: the daemon is of another version; "
                            "`sudo systemctl restart spark-reconcile`",
                            protocol::kNodeStateFile, document.error().what));
  }
  const bool is_of_this_boot =
      document->boot_id.empty() || document->boot_id == state::boot_id(host);
  if (!is_of_this_boot || !daemon::is_set(document->at)) return std::nullopt;
  return NodeHere{.state = std::move(document->state), .at = document->at};
}

}  // namespace spark::cli
