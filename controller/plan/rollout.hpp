#pragma once
// rollout: in which order the nodes of a cluster take a changed file by themselves.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/cluster.hpp"

namespace spark::plan {

/// Nodes that take the file together: no node of a group waits for another of it.
using RolloutGroup = std::vector<std::string>;

struct RolloutOrder {
  /// The first takes the file first. Empty: the file asks for no order.
  std::vector<RolloutGroup> groups;
  /// Names of nodes for which nobody waits: `away`.
  std::vector<std::string> away;
  /// Groups of the file that are one here, since a cable between them changes: "spark1 and spark2".
  std::vector<std::string> joined;

  /// More than one group: somebody waits.
  [[nodiscard]] bool is_staged() const { return groups.size() > 1; }
  /// The nodes that have to have the file before `node` takes it, but for those that are away.
  [[nodiscard]] std::vector<std::string> before(const std::string& node) const;
};

/// The order of `to`, the changed file. Nodes that no group names are the last group. Both ends of
/// a cable that the change sets otherwise (its addresses, its MTU, where it is plugged in) move
/// together, with the earlier of their groups: one end alone would cut it. Of a switch, so do all
/// nodes whose own addresses or MTU there change. `from`: the file before; null: there is none, and
/// nothing is in use yet. Pure.
RolloutOrder rollout_order(const config::Cluster* from, const config::Cluster& to);

}  // namespace spark::plan
