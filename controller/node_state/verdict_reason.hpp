#pragma once
// why_of: why the verdict of a NodeState is what it is.

#include <optional>
#include <string>
#include <string_view>

#include "base/moment.hpp"
#include "base/sentence.hpp"
#include "node_state/node_state.hpp"

namespace spark::node_state {

/// "released at … by …: nothing is set until …"; empty: it is not released.
std::string release_text(const NodeState& state);

/// Why the verdict is what it is, on one line; where the node is ready, what the gate found.
Sentence why_of(const NodeState& state);
/// What to do about what why_of names; empty: nothing, or nothing is known.
Sentence remedy_of_verdict(const NodeState& state);

/// Why what the daemon wrote last does not count at `now`; empty: it does. `alive`: the text of
/// protocol::kDaemonAliveFile; empty: there is none.
std::string why_silent(const std::optional<std::string>& alive, const Moment& now);

/// What to do then.
inline constexpr std::string_view kRestartDaemon = "`sudo systemctl restart spark-reconcile`";

}  // namespace spark::node_state
