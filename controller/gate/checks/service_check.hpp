#pragma once
// check_service: how much memory a service that starts now may lock, measured and not computed.

#include "gate/common/check.hpp"

namespace spark::gate {

inline constexpr FactKind kServiceFact{"SR-GATE-015", "service", true};

/// Makes systemd start a service that registers memory with the RDMA device of one rail: as much as
/// the file says a service may lock, at most 64 MiB, or 4 MiB where it says nothing. No fact where
/// there is no systemd to ask, no RDMA device, and in a light look.
void check_service(const GateSnapshot& snapshot, GateReport& report);

}  // namespace spark::gate
