#pragma once
// Causes: which of the problems of a cluster explains which.

#include <string_view>
#include <vector>

#include "cluster/cluster_view.hpp"
#include "cluster/problem.hpp"

namespace spark::cluster {

// Of these facts of the gate, what follows is known.
inline constexpr std::string_view kLinkId = "SR-GATE-001";
inline constexpr std::string_view kMtuId = "SR-GATE-002";
inline constexpr std::string_view kPortId = "SR-GATE-004";
inline constexpr std::string_view kGidId = "SR-GATE-005";
inline constexpr std::string_view kPathMtuId = "SR-GATE-006";
inline constexpr std::string_view kLoopbackId = "SR-GATE-007";
inline constexpr std::string_view kCableId = "SR-GATE-016";
/// A rail without RDMA whose node told of no problem of it.
inline constexpr std::string_view kNoRdma = "no-rdma";

/// The cable in that link's cage leads elsewhere, or is in another cage.
bool has_wrong_cable(const OwnNode& own, std::string_view link);

/// Each that follows from another one gets its `cause` and is counted there. Sorts them: the causes
/// first, in the order of their sorts.
void find_causes(std::vector<Problem>& problems, const Known& known,
                 const std::vector<NodeView>& nodes);

}  // namespace spark::cluster
