#pragma once
// look_now: what the rails counted so far, and who has queue pairs there.

#include <map>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "host/view.hpp"
#include "jobs/job.hpp"
#include "jobs/rail_traffic.hpp"

namespace spark::jobs {

/// The rails of the node, and what else has queue pairs; without a node (null) all links with an
/// RDMA device and a carrier. Reads counters and queue pairs at each call, the links by a View of
/// its own. Errors: those of the links, and where no rail is known those of the RDMA ports.
Result<Snapshot> look_now(host::Host& host, const config::Node* node);

/// The processes that have queue pairs, and what they descend from.
SeenProcesses processes_of(const Snapshot& look, host::Processes& processes);

/// The nodes at the other end, by link; without a node (null) none is known.
std::map<std::string, std::vector<std::string>> peers_by_link(const config::Node* node);

}  // namespace spark::jobs
