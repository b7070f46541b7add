#pragma once
// Corrections: makes this node what the file in force says, one resource at a time, and leaves
// alone what is not to be corrected, or not yet.

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/drift_tracker.hpp"
#include "daemon/reconcile/job_waits.hpp"
#include "daemon/reconcile/machine.hpp"
#include "daemon/reconcile/pass.hpp"
#include "plan/plan.hpp"

namespace spark::daemon {

class Corrections {
 public:
  /// All but `pace` must outlive it.
  Corrections(const Pace& pace, const ActiveConfig& file, Machine& machine, JobWaits& waits)
      : file_(file), machine_(machine), waits_(waits), drift_(pace) {}

  /// Takes in what the stages before it found.
  void begin_pass(const Happened& happened);
  /// Looks at all with the file in force, and corrects what differs. Errors: as of that look.
  Result<Snapshot> hold(const GoodFile& file, host::Files& files, Pass& pass);
  /// Corrects what netlink's tables alone show, once a whole pass has held the file in force. True:
  /// something was corrected, or tried.
  bool correct_network(Pass& pass);
  /// A whole pass ends with this snapshot.
  void end_pass(Snapshot& snapshot, const Pass& pass);
  [[nodiscard]] const DriftTracker& drift() const { return drift_; }
  /// This node, as the file in force had it in the last whole pass that held it.
  [[nodiscard]] const std::optional<config::Node>& node() const { return node_; }
  /// What differs now was left alone: when it is corrected, that is no drift.
  void note_left_alone() { sets_up_ = true; }

 private:
  /// Corrects the steps of the snapshot, and looks again: the one way of a whole pass and of a
  /// correction of the network. Errors: as of that look.
  Result<> correct(Snapshot& snapshot, Pass& pass);
  /// Nothing stands in the way of all corrections.
  [[nodiscard]] bool may_correct_any(const Snapshot& snapshot, const Pass& pass) const;
  [[nodiscard]] bool may_correct(const Snapshot& snapshot, const plan::Step& step,
                                 const Pass& pass) const;
  /// Of the steps that have waited for a job, those that wait no longer.
  [[nodiscard]] std::vector<const plan::Step*> freed(const Snapshot& snapshot,
                                                     const Pass& pass) const;
  /// Errors: as of `look_again`.
  Result<> make_all(Snapshot& snapshot, Pass& pass);
  /// Carries out, in one transaction, what of the file has waited and waits no longer. False:
  /// nothing has.
  bool carry_out_freed(Snapshot& snapshot, const Pass& pass);
  void make(const plan::Step& step, Snapshot& snapshot, const Pass& pass);
  [[nodiscard]] ChangeRecord::Cause cause_of(const plan::Step& step, Occasion occasion) const;
  /// The same look again, and at what waits.
  Result<> look_again(Snapshot& snapshot);

  const ActiveConfig& file_;
  Machine& machine_;
  JobWaits& waits_;
  DriftTracker drift_;
  SeenLinks links_;
  std::optional<config::Node> node_;
  bool is_first_ = true;  ///< nothing was enforced completely so far
  bool sets_up_ = false;  ///< the same since a ChangeRecord::Cause::kResumed
};

}  // namespace spark::daemon
