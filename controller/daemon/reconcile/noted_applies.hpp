#pragma once
// NotedApplies: what this node's notes say of its applies: the last one by hand, and the last entry
// of the history.

#include <optional>
#include <string>

#include "host/files.hpp"
#include "state/by_hand.hpp"
#include "state/history.hpp"

namespace spark::daemon {

class NotedApplies {
 public:
  /// True: somebody applied or resumed by hand since the last call.
  bool look(host::Files& files);
  [[nodiscard]] state::ByHand by_hand() const;
  /// `--change-id` of the last entry of the node's history, where that is of the file with that
  /// digest; empty: it has none.
  std::string change_id(host::Files& files, const std::string& node, const std::string& digest);

 private:
  std::optional<std::string> by_hand_;  ///< the last note; empty: it was not looked at yet
  std::optional<std::string> history_;  ///< its text
  state::Generation last_;              ///< of that
};

}  // namespace spark::daemon
