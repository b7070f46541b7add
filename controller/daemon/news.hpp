#pragma once
// news: what the daemon's own log says of a new state.

#include <string>
#include <vector>

#include "daemon/common/node_state.hpp"
#include "daemon/common/triggers.hpp"

namespace spark::daemon {

struct News {
  int priority = 0;  ///< as syslog(3) has them
  std::string text;
};

/// What has changed: the file in force, a refusal and its end, an error and its end, what keeps
/// everything from being changed, each correction with its cause, the verdict.
std::vector<News> news(const NodeState& former, const NodeState& state);

/// "netlink 7, timer 1": what asked for a pass.
std::string sources_text(const Triggers& triggers);

}  // namespace spark::daemon
