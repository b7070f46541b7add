#pragma once
// note_signs: what two successive states of a node say for its record. No name of a user, a program
// or a process is in it.

#include "base/moment.hpp"
#include "jobs/sign_log.hpp"
#include "node_state/node_state.hpp"

namespace spark::node_state {

/// Adds to the log what is in `now` and was not in `before`, and ends what has ended since. What
/// was so when the daemon looked first says nothing of when it began, so no sign is made of it.
void note_signs(const NodeState& before, const NodeState& now, jobs::SignLog& log);

/// When the daemon starts: that the machine started, where the log is of before this boot.
void note_start(jobs::SignLog& log, const Moment& now);

}  // namespace spark::node_state
