#pragma once
// observe_storage: the facts of this node's connections and mounts.

#include <vector>

#include "gate/rail_facts.hpp"

namespace spark::gate {

/// Blocks for some seconds at most, also where a volume does not answer. No facts when the file has
/// no storage.
std::vector<Fact> observe_storage(const GateSnapshot& snapshot);

}  // namespace spark::gate
