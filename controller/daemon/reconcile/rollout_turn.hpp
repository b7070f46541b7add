#pragma once
// RolloutTurn: whether it is this node's turn to take a changed file, by what the nodes before it
// say of themselves. Silence holds, and so does a node that is worse than it was: a node may come
// late, and never too early.

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "config/node.hpp"
#include "daemon/common/node_state.hpp"
#include "gate/common/facts.hpp"
#include "protocol/peers.hpp"
#include "state/rollout_skips.hpp"

namespace spark::daemon {

class RolloutTurn {
 public:
  /// Takes in what the nodes say now: how each was before it took another file counts later. Empty:
  /// nothing was heard.
  void note(const std::optional<protocol::PeersReport>& report);

  /// Which of the nodes `before` this one keep it from taking the file with that digest, and why;
  /// empty: none does. By what was noted last.
  [[nodiscard]] std::vector<RolloutWait> waits_for(
      const std::vector<std::string>& before, const std::string& digest,
      const std::vector<state::RolloutSkip>& skips) const;

  /// Since when the file with that digest is held.
  Moment held_since(const std::string& digest, const Moment& now);
  /// A file whose change rolls through the cluster was taken.
  void took(const Moment& now) { took_at_ = now.boot; }

  /// For ten minutes after this node took such a file, what only the other end of a cable can fix,
  /// and its node says that it has another file, is told and closes no gate.
  void excuse_late_ends(gate::GateReport& report, const config::Node& node,
                        const Moment& now) const;

 private:
  /// What a node says of itself, or who hears it of it.
  struct Standing {
    std::string file;       ///< beginning of its digest
    std::string candidate;  ///< the same
    gate::Verdict verdict = gate::Verdict::kNotReady;
    bool is_silent = false;
  };
  struct Known {
    Standing now;
    std::optional<gate::Verdict> before;  ///< its last one with the file before; empty: not known
    std::set<std::string> had;            ///< files that it had or tried, the last few
  };

  void take(const std::string& node, Standing standing);
  [[nodiscard]] std::optional<std::string> why_not(const std::string& node,
                                                   const std::string& digest) const;

  std::map<std::string, Known> nodes_;
  std::string held_;  ///< digest
  Moment held_since_;
  std::optional<std::chrono::milliseconds> took_at_;  ///< boot clock
};

}  // namespace spark::daemon
