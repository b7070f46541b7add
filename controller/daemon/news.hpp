#pragma once
// news: what the daemon's own log, and the verb `events`, say of a new state.

#include <string>
#include <vector>

#include "daemon/common/node_state_names.hpp"
#include "daemon/common/triggers.hpp"
#include "state/event_log.hpp"

namespace spark::daemon {

struct News {
  int priority = 0;  ///< as syslog(3) has them
  const char* what;  ///< as schema/output/events.schema.json has them
  std::string text;
  std::string change_id;  ///< `--change-id` of what caused it; empty: none is known
  std::string digest;     ///< of the file that came into force; empty: none did
  std::string cause;      ///< of a change, as ChangeRecord has it; empty: it is none
  std::string remedy;     ///< what to do about it; empty: nothing, or nothing is known
};

/// What has changed: the file in force, a refusal and its end, an error and its end, what keeps
/// everything from being changed, each correction with its cause, contests, pauses, a release,
/// moved GIDs, lost records, the verdict.
std::vector<News> news(const NodeState& former, const NodeState& state);

/// The news as an event of that moment.
state::Event event_of(const News& news, const Moment& at);

/// "netlink 7, timer 1": what asked for a pass.
std::string sources_text(const Triggers& triggers);

}  // namespace spark::daemon
