#pragma once
// JobWaits: what of a new file waits for the end of a job, in the passes of the Reconciler: which
// steps wait when the file is taken, which are free in a pass, and whether the owner's programs
// agree.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/reconcile/disturb_ask.hpp"
#include "daemon/reconcile/disturb_waits.hpp"
#include "daemon/reconcile/machine.hpp"
#include "daemon/reconcile/pass.hpp"
#include "host/host.hpp"
#include "plan/plan.hpp"

namespace spark::daemon {

class JobWaits {
 public:
  /// `is_anybody_there`: as DisturbAsk has it.
  explicit JobWaits(std::function<bool()> is_anybody_there) : ask_(std::move(is_anybody_there)) {}

  /// A pass begins, with what the owner's programs said since the last one. `in_force`: the file;
  /// null: there is none. `is_first`: what waited when another daemon ended waits on.
  void begin_pass(host::Host& host, const GoodFile* in_force, bool is_first, const Pass& pass);
  /// What they are to be asked, of this pass; empty: nothing.
  [[nodiscard]] const std::optional<AskOrder>& question() const { return question_; }

  /// Reads what waited when another daemon ended. Nothing of another boot: nobody used a rail then.
  /// Nothing of another file than the one in force: that never came into force.
  void restore(host::Host& host, const std::string& digest);
  /// Somebody removed what was written.
  void forget_file() { written_.clear(); }
  /// Nothing waits any more: the node is released.
  void clear() { since_.clear(); }

  /// Names of the steps of a new file that wait for the end of a job. `in_force`: the file before;
  /// null: there is none. Empty: the owner's programs have not said yet whether the others may be
  /// made.
  std::optional<std::set<std::string>> steps_to_wait(Snapshot& snapshot, Machine& machine,
                                                     const GoodFile* in_force, const Moment& now);
  /// The file with that digest comes into force without these steps. They replace what waited; one
  /// that waited already waits since then. Errors: as of `keep`.
  Result<> begin(const std::set<std::string>& steps, const std::string& digest, host::Host& host,
                 const Moment& now);

  /// With this snapshot: who uses the rails of what waits.
  void look(Snapshot& snapshot);
  /// Under the lock, so nobody is asked, and what was to wait still waits.
  void look_again(Snapshot& snapshot);
  /// After all own checks: whether what no longer waits may disturb its rails. Without an answer it
  /// waits.
  void ask_about_freed(const Snapshot& snapshot, const Moment& now);
  /// All that no longer waits is to be carried out in one transaction; that is tried once for a
  /// file, since the history notes each.
  bool begin_together() { return !std::exchange(tried_together_, true); }

  /// The step is one of the file's that has waited so far: it is no drift.
  [[nodiscard]] bool has(const plan::Step& step) const { return since_.contains(step.name()); }
  /// Since when the step waits, which `has`.
  [[nodiscard]] const Moment& since(const plan::Step& step) const { return since_.at(step.name()); }
  /// The step waits now.
  [[nodiscard]] bool holds(const plan::Step& step) const { return waiting_.holds(step); }
  /// When the owner's programs are asked again, by the boot clock; empty: at no certain time.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next_question() const;

  /// The pass ends with this plan. Steps that it has no longer are carried out, or no longer
  /// needed. Those of a kind that cannot be read now stay. Errors: as of `keep`.
  Result<> end_pass(const plan::Plan& plan, host::Host& host);
  /// The same snapshot, for `records`.
  void record(const Snapshot& snapshot);
  /// What waited at the end of the last whole pass, as the node's state has it.
  [[nodiscard]] const std::vector<DisturbWait>& records() const { return records_; }
  /// Whether others use the rails of these by now. One look at the queue pairs of each, since no
  /// event reports their end.
  [[nodiscard]] bool users_changed(host::Rdma& rdma) const;

 private:
  /// Of the links that would be disturbed now.
  Asked ask(const Snapshot& snapshot, std::set<std::string> links, const Moment& now);
  /// Writes what waits, where that has changed, so that a daemon that restarts, as in an upgrade,
  /// does not take it for what a boot left. Errors: those of the files port.
  Result<> keep(host::Host& host);

  std::map<std::string, Moment> since_;  ///< by the name of the step
  std::string digest_;
  bool tried_together_ = false;
  std::string written_;    ///< what the file says; empty: there is none
  ObservedWaits waiting_;  ///< as of the last snapshot
  DisturbAsk ask_;
  std::optional<AskOrder> question_;
  std::vector<DisturbWait> records_;
  plan::RailUses users_;  ///< of the rails of `records_`; with names, so they stay here
};

}  // namespace spark::daemon
