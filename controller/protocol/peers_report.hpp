#pragma once
// The one reader of what spark-peers writes.

#include <chrono>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "protocol/peers.hpp"

namespace spark::protocol {

/// Who takes spark-peers over writes what it likes into it. Errors: it is not understood, or has a
/// time more than a century from the boot, which nobody can reckon with; in words that hold nothing
/// of it.
Result<PeersReport> peers_report_from(const std::string& text);

/// The same as it counts at `now` (CLOCK_BOOTTIME). `alive`: the text of kPeersAliveFile; empty:
/// there is none. Past that moment all nodes are silent since, nothing that they told or proved is
/// left, and `failed` says why. Errors: also where `alive` holds no time.
Result<PeersReport> peers_report_at(std::chrono::milliseconds now, const std::string& text,
                                    const std::optional<std::string>& alive);

}  // namespace spark::protocol
