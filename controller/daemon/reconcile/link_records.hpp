#pragma once
// link_records: the links that the file names, as they are now.

#include <vector>

#include "config/node.hpp"
#include "daemon/common/node_state.hpp"
#include "host/view.hpp"

namespace spark::daemon {

/// By cage and rail; other links after them, by name. Without the speed, which only the drivers
/// know, and with no cable proven.
std::vector<LinkRecord> link_records(const config::Node& node, host::View& view);

/// Fills in what a look at the gate alone shows, as the last look found it: the speed, and who is
/// at the other end, unless the carrier came or went.
void keep_looks(const std::vector<LinkRecord>& last, std::vector<LinkRecord>& links);

/// Notes who answered over each rail of the report.
void note_cabling(const gate::GateReport& report, std::vector<LinkRecord>& links);

}  // namespace spark::daemon
