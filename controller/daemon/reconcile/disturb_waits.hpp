#pragma once
// DisturbWaits: the steps of a new file that wait, since they would disturb a running job.

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/moment.hpp"
#include "base/result.hpp"
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
struct WaitLook {
  RailsOfSteps steps;
  plan::RailUses uses;     ///< of the rails in use
  RailsOfSteps disturbed;  ///< all steps in question, with the rails that each disturbs
  std::string asked;       ///< why steps wait whose rails nobody uses; empty: none does
  /// The rails that would be disturbed now: of steps that do not wait.
  [[nodiscard]] std::set<std::string> free_rails() const;
  /// What waited in an earlier look of the same pass waits until the next one.
  void keep_waiting(WaitLook earlier);
  /// Has the others wait too, for that reason.
  void wait_for_all(const plan::Plan& plan, std::string why);
  [[nodiscard]] bool holds(const plan::Step& step) const { return steps.contains(step.name()); }
  [[nodiscard]] std::set<std::string> names() const;
};

class DisturbWaits {
 public:
  /// The file with that digest comes into force without these steps. They replace what waited; one
  /// that waited already waits since then.
  void begin(const std::set<std::string>& steps, std::string digest, const Moment& now);
  /// Nothing waits any more: the node is released.
  void clear() { since_.clear(); }
  /// Somebody removed what `keep` wrote.
  void forget_file() { written_.clear(); }
  /// All that no longer waits is to be carried out in one transaction; that is tried once for a
  /// file, since the history notes each.
  bool begin_together() { return !std::exchange(tried_together_, true); }
  /// Steps that the plan has no longer are carried out, or no longer needed. Those of a kind that
  /// cannot be read now stay.
  void end_pass(const plan::Plan& plan);

  [[nodiscard]] bool empty() const { return since_.empty(); }
  /// The step is one of the file's that has waited so far: it is no drift.
  [[nodiscard]] bool has(const plan::Step& step) const { return since_.contains(step.name()); }
  /// Since when the step waits, which `has`.
  [[nodiscard]] const Moment& since(const plan::Step& step) const { return since_.at(step.name()); }

  /// Reads what waited when another daemon ended. Nothing of another boot: nobody used a rail then.
  /// Nothing of another file than the one in force: that never came into force.
  void restore(host::Host& host, const std::string& digest);
  /// Writes what waits, where that has changed, so that a daemon that restarts, as in an upgrade,
  /// does not take it for what a boot left. Errors: those of the files port.
  Result<> keep(host::Host& host);

 private:
  std::map<std::string, Moment> since_;  ///< by the name of the step
  std::string digest_;
  bool tried_together_ = false;
  std::string written_;  ///< what the file says; empty: there is none
};

/// Looks at who uses the rails that all steps of a plan disturb; reads nothing more where they
/// disturb none.
WaitLook look_at_waits(const plan::Plan& plan, const config::Node& node, host::View& view);
/// The same of the steps that have waited so far alone; reads nothing where there are none.
WaitLook look_at_waits(const plan::Plan& plan, const config::Node& node, host::View& view,
                       const DisturbWaits& waits);

/// Takes out what another file asks for just as well: a reboot or somebody else has changed that,
/// and the new file has not. `plan` is that of the other file.
void leave_to_corrections(WaitLook& look, const plan::Plan& of_new_file, const plan::Plan& plan);

/// Who uses a rail is no longer as `use` says. One look at the device's queue pairs, without names.
bool has_changed(const plan::RailUse& use, host::Rdma& rdma);

}  // namespace spark::daemon
