#pragma once
// read_back: reads the host after steps were carried out, until it shows all of their values.

#include <chrono>
#include <span>
#include <vector>

#include "apply/report.hpp"
#include "config/node.hpp"
#include "host/host.hpp"
#include "kinds/common/kind.hpp"
#include "plan/plan.hpp"

namespace spark::apply {

/// A value that was set, or set back, and does not show after this long will not show.
inline constexpr std::chrono::seconds kReadBackDeadline{2};

/// What the host shows after the steps.
struct ReadBack {
  plan::Plan plan;  ///< made from what the host shows
  /// Steps that were carried out and do not wait, and that `plan` has again.
  std::vector<const plan::Step*> not_in_place;
};

/// Reads until every step is in place, the kernel has settled and no event came meanwhile: at most
/// 2 s for a value to show, and 5 s for the kernel. Waits for events, never for time alone. `made`:
/// the reports on those steps of `done` that were carried out.
ReadBack read_back(host::Host& host, const config::Node& node, const plan::Plan& done,
                   std::span<const StepReport> made, const kinds::Ledger& ledger);

/// "mtu eth0 does not hold: it reads 1500 after it was set to 9000".
Error does_not_hold(const plan::Step& step);

}  // namespace spark::apply
