#pragma once
// NotedApplies: what this node's notes say of its applies: the last one by hand, and the last entry
// of the history.

#include <optional>
#include <string>

#include "daemon/reconcile/machine.hpp"
#include "daemon/reconcile/pass.hpp"
#include "host/files.hpp"
#include "state/by_hand.hpp"
#include "state/history.hpp"

namespace spark::daemon {

class NotedApplies {
 public:
  void look(host::Files& files, Pass& pass);
  [[nodiscard]] state::ByHand by_hand() const;
  /// `--change-id` of the last entry of the node's history, where that is of the file with that
  /// digest; empty: it has none.
  std::string change_id(host::Files& files, const std::string& node, const std::string& digest);

 private:
  std::optional<std::string> by_hand_;  ///< the last note; empty: it was not looked at yet
  std::optional<std::string> history_;  ///< its text
  state::Generation last_;              ///< of that
};

/// Notes that the node was released, where it was.
void note_release(host::Files& files, const Snapshot& snapshot, Pass& pass);

}  // namespace spark::daemon
