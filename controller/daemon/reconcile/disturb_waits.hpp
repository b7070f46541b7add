#pragma once
// disturb_waits: which steps of a new file wait, since they would disturb a running job.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemon/common/node_state_names.hpp"
#include "gate/common/facts.hpp"
#include "host/host.hpp"
#include "plan/plan.hpp"
#include "plan/rail_use.hpp"

namespace spark::daemon {

/// Rails by the name of the step that disturbs them.
using RailsOfSteps = std::map<std::string, std::set<std::string>>;

/// Which steps wait, and for which rails: those that disturb a rail in use, and with them those
/// that need one of these first: the address that a waiting step frees on another link, and what is
/// handed to another manager last of all. `disturbed`: the steps in question alone, with the rails
/// that each disturbs. Pure.
RailsOfSteps steps_that_wait(const plan::Plan& plan, const RailsOfSteps& disturbed,
                             const std::set<std::string>& used);

/// What waits now, and for whom.
struct ObservedWaits {
  RailsOfSteps steps;
  plan::RailUses uses;     ///< of the rails in use
  RailsOfSteps disturbed;  ///< all steps in question, with the rails that each disturbs
  std::string asked;       ///< why steps wait whose rails nobody uses; empty: none does
  /// The rails that would be disturbed now: of steps that do not wait.
  [[nodiscard]] std::set<std::string> free_rails() const;
  /// What waited in an earlier look of the same pass waits until the next one.
  void keep_waiting(ObservedWaits earlier);
  /// Has the others wait too, for that reason.
  void wait_for_all(const plan::Plan& plan, std::string why);
  [[nodiscard]] bool holds(const plan::Step& step) const { return steps.contains(step.name()); }
  [[nodiscard]] std::set<std::string> names() const;
};

/// Looks at who uses the rails that the steps in question disturb; reads nothing more where they
/// disturb none. `counts`: the step is in question.
ObservedWaits observe_waits(const plan::Plan& plan, const config::Node& node, host::View& view,
                            const std::function<bool(const plan::Step&)>& counts);

/// Takes out what another file asks for just as well: a reboot or somebody else has changed that,
/// and the new file has not. `plan` is that of the other file.
void leave_to_corrections(ObservedWaits& look, const plan::Plan& of_new_file,
                          const plan::Plan& plan);

/// Who uses a rail is no longer as `use` says. One look at the device's queue pairs, without names.
bool has_changed(const plan::RailUse& use, host::Rdma& rdma);

/// What waits for the end of a job does not close the gate, which would end the job: units that
/// depend on spark-ready.target are stopped with it. Facts that do not hold only since their
/// resource still is as the file before had it are reported, and are no part of the verdict.
/// Whether bytes move and peers answer counts as always.
void excuse_waiting(gate::GateReport& report, const std::vector<DisturbWait>& waits);

}  // namespace spark::daemon
