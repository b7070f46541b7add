#pragma once
// read_peers_report: what spark-peers of this node heard and was told.

#include <optional>

#include "base/result.hpp"
#include "host/host.hpp"
#include "protocol/peers.hpp"

namespace spark::gate {

/// Empty: it has reported nothing since this boot. Errors: those of the files port; kInvalid, the
/// report is not understood.
Result<std::optional<protocol::PeersReport>> read_peers_report(host::Host& host);

}  // namespace spark::gate
