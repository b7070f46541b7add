#pragma once
// check_storage: this node's connections, its mounts, and whether their volumes answer.

#include "gate/common/check.hpp"

namespace spark::gate {

inline constexpr FactKind kNvmeFact{"SR-GATE-010", "nvme"};
inline constexpr FactKind kMountFact{"SR-GATE-013", "mount"};
inline constexpr FactKind kVolumeFact{"SR-GATE-014", "volume"};

/// Blocks for some seconds at most, also where a volume does not answer. No facts when the file has
/// no storage.
void check_storage(const GateSnapshot& snapshot, GateReport& report);

}  // namespace spark::gate
