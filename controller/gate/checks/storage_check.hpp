#pragma once
// check_storage: this node's connections, its mounts, and whether their volumes answer.

#include "gate/common/check.hpp"

namespace spark::gate {

inline constexpr FactKind kNvmeFact{
    .id = "SR-GATE-010", .name = "nvme", .reach = Reach::kStorage, .goes_with_carrier = true};
inline constexpr FactKind kMountFact{
    .id = "SR-GATE-013", .name = "mount", .reach = Reach::kStorage, .goes_with_carrier = true};
inline constexpr FactKind kVolumeFact{
    .id = "SR-GATE-014", .name = "volume", .reach = Reach::kStorage, .goes_with_carrier = true};

/// Blocks for some seconds at most, also where a volume does not answer. No facts when the file has
/// no storage.
void check_storage(const GateSnapshot& snapshot, GateReport& report);

}  // namespace spark::gate
