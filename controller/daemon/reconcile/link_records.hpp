#pragma once
// link_records: the links that the file names, as they are now.

#include <vector>

#include "config/node.hpp"
#include "daemon/common/node_state.hpp"
#include "host/view.hpp"

namespace spark::daemon {

/// By cage and rail; other links after them, by name. Without the speed, which only the drivers
/// know.
std::vector<LinkRecord> link_records(const config::Node& node, host::View& view);

}  // namespace spark::daemon
