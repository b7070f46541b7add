#pragma once
// NodeChanges: what a cluster file makes of each node, and what it changes there compared with
// another file; without any machine.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"
#include "plan/compare.hpp"
#include "plan/plan.hpp"

namespace spark::cli {

struct NodeChanges {
  enum class Status : std::uint8_t {
    kNotCompared,
    kSame,
    kChanged,
    kAdded,    ///< the other file does not have the node
    kRemoved,  ///< only the other file has the node; nothing is changed there
  };
  Status status = Status::kNotCompared;
  config::Node node;                   ///< as the file has it; of kRemoved: as the other one has it
  plan::Plan plan;                     ///< steps alone
  std::vector<plan::Unknown> unknown;  ///< what only the machine can tell

  /// An apply of the file has, or may have, something to do.
  [[nodiscard]] bool differs() const { return status > Status::kSame; }
};

/// "same", "changed", "added", "removed": as JSON has it.
std::string_view name_of(NodeChanges::Status status);

/// What `to` makes of its nodes, in the order of their names; with `from` also what changes, and
/// the nodes that only `from` has. `only`: one node; empty: all. Errors: kNotFound where no file
/// has that node; kInvalid where a node cannot be resolved.
Result<std::vector<NodeChanges>> changes_of_nodes(const config::Cluster* from,
                                                  const config::Cluster& to,
                                                  const std::string& only);

nlohmann::json to_json(const NodeChanges& changes);

}  // namespace spark::cli
