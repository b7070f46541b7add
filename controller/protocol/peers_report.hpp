#pragma once
// peers_report_from: the one reader of what spark-peers writes.

#include <string>

#include "base/result.hpp"
#include "protocol/peers.hpp"

namespace spark::protocol {

/// Who takes spark-peers over writes what it likes into it. Errors: it is not understood, or has a
/// time more than a century from the boot, which nobody can reckon with; in words that hold nothing
/// of it.
Result<PeersReport> peers_report_from(const std::string& text);

}  // namespace spark::protocol
