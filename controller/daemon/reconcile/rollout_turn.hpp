#pragma once
// RolloutTurn: whether it is this node's turn to take a changed file, by what the nodes before it
// say of themselves. Silence holds, and so does a node that is worse than it was: a node may come
// late, and never too early.

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "cluster/told.hpp"
#include "config/node.hpp"
#include "daemon/common/node_state_names.hpp"
#include "gate/common/facts.hpp"
#include "protocol/peers.hpp"
#include "state/in_force.hpp"
#include "state/rollout_skips.hpp"

namespace spark::daemon {

class RolloutTurn {
 public:
  /// Takes in what those nodes say now, and forgets all others: anybody on the wire can say another
  /// name each time. How each was before it took another file counts later. Empty report: nothing
  /// was heard.
  void note(std::optional<protocol::PeersReport> report, const std::set<std::string>& nodes);
  /// Of so many nodes something is kept.
  [[nodiscard]] std::size_t known() const { return nodes_.size(); }

  /// Which of the nodes `before` this one keep it from taking the file with that digest, and why;
  /// empty: none does. By what was noted last.
  [[nodiscard]] std::vector<RolloutWait> waits_for(
      const std::vector<std::string>& before, const std::string& digest,
      const std::vector<state::RolloutSkip>& skips) const;

  /// Holds the file with that digest where nodes `before` this one keep it from taking it; empty:
  /// it may.
  std::optional<RolloutHeld> hold(std::vector<std::string> before, const std::string& digest,
                                  const std::vector<state::RolloutSkip>& skips, const Moment& now);
  /// What holds the file that was held last is no longer as it was.
  [[nodiscard]] bool moves(const std::vector<state::RolloutSkip>& skips) const {
    return held_ && waits_for(before_, held_->digest, skips) != held_->waits;
  }

  /// Takes in a look at the gate, at any time. While the ends of a cable have different files, what
  /// only the other end can fix is told and closes no gate: for ten minutes since their files
  /// differ, where it held before, and is about no peer that has this node's file. What differed
  /// when this program started counts. `rolls`: the file in force has a `rollout`.
  void excuse_other_ends(gate::GateReport& report, const config::Node& node, bool rolls,
                         const Moment& now);

 private:
  struct Known {
    /// Its last one that was no silence, and whether it is silent now.
    cluster::LatestReport now;
    std::optional<gate::Verdict> before;  ///< its last one with the file before; empty: not known
    std::vector<std::string> had;  ///< files that it had or tried, the last few, the newest last
    bool had_our_file = false;     ///< when the gate was looked at last
    /// Since then it has another file than this node, by the boot clock; empty: it has the same, or
    /// had another one already when it was heard first.
    std::optional<std::chrono::milliseconds> differs_since;
    std::chrono::milliseconds same_since{};  ///< after that, by the boot clock
  };

  static void take(Known& known, cluster::LatestReport report);
  void note_files(const config::Node& node, const Moment& now);
  /// The peer of that rail whose other file may be why the fact does not hold; null: none, or it
  /// counts all the same.
  [[nodiscard]] const config::Peer* excuse_of(const gate::Fact& fact, const gate::RailFacts& rail,
                                              const config::Node& node, const Moment& now) const;
  [[nodiscard]] std::optional<std::string> why_not(const std::string& node,
                                                   const std::string& digest) const;

  std::map<std::string, Known> nodes_;
  std::optional<RolloutHeld> held_;  ///< the last one
  std::vector<std::string> before_;  ///< of that
  /// Of facts that reach to another node: since when they do not hold, by the boot clock.
  std::map<state::FactKey, std::chrono::milliseconds> failing_since_;
};

}  // namespace spark::daemon
