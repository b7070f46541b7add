#pragma once
// network_answer: asks what nodes recorded, and answers "was it the network" from that.

#include <chrono>
#include <optional>

#include "cli/command.hpp"
#include "cli/text/answer_text.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"
#include "jobs/recorded.hpp"

namespace spark::cli {

struct NetworkQuestion {
  jobs::Time at;                       ///< the end of the job, or of the time that is asked about
  std::optional<jobs::JobSpan> job;    ///< empty: no job is asked about
  bool asks_peers = false;             ///< else this node's own record has to do
  std::chrono::milliseconds lasts{0};  ///< as jobs::Question
};

/// Of this node's rails. Takes seconds where a peer does not answer, and shows whom it asks.
NetworkAnswer network_answer(const Command& command, const config::Cluster& cluster,
                             const config::Node& node, const NetworkQuestion& question);

}  // namespace spark::cli
