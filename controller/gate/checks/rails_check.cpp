#include "gate/checks/checks.hpp"

namespace spark::gate {

void check_rails(const GateSnapshot& /*snapshot*/, GateReport& report) {
  if (!report.rails.empty()) return;
  report.node.push_back(fails(
      kRailsFact, Verdict::kUnknown, Detail::kAbsent, "the file gives no rail an address here",
      "name this node's cables in the file, or an RDMA device's link with its address"));
}

}  // namespace spark::gate
