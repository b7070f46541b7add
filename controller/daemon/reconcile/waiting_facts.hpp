#pragma once
// excuse_waiting: what waits for the end of a job does not close the gate, which would end the job:
// units that depend on spark-ready.target are stopped with it.

#include <vector>

#include "daemon/common/node_state.hpp"
#include "gate/gate.hpp"

namespace spark::daemon {

/// Facts that do not hold only since their resource still is as the file before had it are
/// reported, and are no part of the verdict. Whether bytes move and peers answer counts as always.
void excuse_waiting(gate::GateReport& report, const std::vector<DisturbWait>& waits);

}  // namespace spark::daemon
