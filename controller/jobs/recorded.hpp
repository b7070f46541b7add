#pragma once
// What was_it_the_network answers from: what nodes recorded, the ways between them, and the job.

#include <optional>
#include <string>
#include <vector>

#include "config/dgx_names.hpp"
#include "protocol/node_signs.hpp"

namespace spark::jobs {

using protocol::NodeSigns;
using protocol::Recorded;
using protocol::Sign;
using protocol::Span;
using Time = protocol::WallTime;

/// A rail of this node, and the other end of its cable. Of a switch there is one for each peer.
struct Way {
  std::string link;
  std::optional<config::Rail> rail;
  std::string peer;
  std::string peer_link;
  std::optional<config::Rail> peer_rail;
};

struct JobSpan {
  Time began;      ///< before that it had no queue pair
  Time last_seen;  ///< it had some then, and ended at any time between that and `ended`
  Time ended;
  std::vector<std::string> links;  ///< of this node, on which it had queue pairs
};

}  // namespace spark::jobs
