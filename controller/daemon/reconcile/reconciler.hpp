#pragma once
// Reconciler: keeps one node as the file says. Each pass reads everything again, corrects what
// differs, and returns all that is known afterwards as one value.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apply/report.hpp"
#include "daemon/common/node_state.hpp"
#include "daemon/common/triggers.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/drift_tracker.hpp"
#include "daemon/reconcile/file_trial.hpp"
#include "daemon/reconcile/gid_moves.hpp"
#include "daemon/reconcile/hardware_tracker.hpp"
#include "daemon/reconcile/job_waits.hpp"
#include "daemon/reconcile/observe_gate.hpp"
#include "daemon/reconcile/rollout_turn.hpp"
#include "daemon/reconcile/seen_links.hpp"
#include "daemon/reconcile/snapshot.hpp"
#include "daemon/reconcile/source_follower.hpp"
#include "host/host.hpp"
#include "host/process/helper_program.hpp"
#include "plan/plan.hpp"
#include "state/history.hpp"
#include "state/published_file.hpp"

namespace spark::daemon {

struct ReconcilerOptions {
  std::string file;          ///< absolute path of the cluster file
  std::string node;          ///< name in the file; empty: the node that this machine is
  std::string_view version;  ///< of the program; outlives the Reconciler
  Pace pace;
  TakeRules take;  ///< of the cluster file
  SourceRules source_rules;
  host::CheckHelper check_helper = [](host::Helper /*helper*/) { return Result<>{}; };
  /// Where the cluster file is; null: where all other files are.
  host::Files* source = nullptr;
  /// Whether the owner has programs, which are asked last before a step of a new file disturbs a
  /// rail: PassOutcome::question. Empty: nobody is asked.
  std::function<bool()> is_anybody_asked;
  Clock clock = now;
  /// After so long, somebody who removes our files by hand has finished.
  std::chrono::milliseconds removal_rest{1000};
};

/// Why a pass is made, and how far it goes.
struct PassOrder {
  Triggers triggers;
  host::Writers writers;
  bool network_alone = false;  ///< no connection to a target and no mount is made yet
  std::optional<AskAnswer> answer = std::nullopt;  ///< to a question since the last pass
};

struct PassOutcome {
  NodeState state;
  std::shared_ptr<const GoodFile> file;           ///< in force; null: none is
  std::optional<state::PublishedFile> published;  ///< the same for other processes
  /// Files and directories that the result depends on.
  std::vector<std::string> sources;
  /// What the owner's programs are to be asked; with their answer a pass is due. Empty: nothing.
  std::optional<AskOrder> question;
  bool changed = false;      ///< something was changed, or tried
  bool pass_due = false;     ///< what was taken in asks for a pass
  bool look_deeper = false;  ///< something that only a deep look measures was failing
  bool waits = false;        ///< something waits for the end of a job
  bool gate_due = false;     ///< something waits for a look at the gate
  /// When to look again even if no event comes; empty: at no certain time.
  std::optional<std::chrono::milliseconds> again_in;
};

/// Not thread-safe: one worker has it.
class Reconciler {
 public:
  /// `host` must outlive it.
  Reconciler(host::Host& host, ReconcilerOptions options);

  /// Looks, corrects and looks again.
  PassOutcome pass(const PassOrder& order);
  /// Corrects what netlink reports alone, from netlink's own tables: between two passes, and in a
  /// fraction of the time of one. True: something was corrected, or tried; the next pass reports
  /// it.
  bool correct_network(const host::Writers& writers);
  /// Whether who uses the rails that something waits for is no longer as the last pass saw it. One
  /// look at the queue pairs of each, since no event reports their end.
  bool users_changed() { return daemon::users_changed(state_.disturb_waits, host_.rdma); }
  /// Takes in an observation of the gate; empty: the gate could not be observed. What a light look
  /// leaves out still counts as it was measured last.
  PassOutcome take_verdict(std::optional<GateObservation> look);

 private:
  /// A pass under way, or a correction between two.
  struct Pass {
    Moment start;
    const host::Writers& writers;
    bool network_alone = false;
    PassOutcome outcome;
  };

  /// Stops all corrections while an apply waits for its confirmation; rolls back an overdue one.
  void check_open_journal(Pass& pass);
  /// Ends the contests where somebody applied or resumed by hand.
  void note_apply_by_hand();
  /// Of the last entry of the history.
  void note_change_id();
  /// Writes again what somebody removed of our files, as far as it is known, and reports what is
  /// lost.
  void check_own_state(Pass& pass);
  std::string restore_own_state(const Moment& now);
  /// Lets an event happen to the file in force, and returns what is to be done.
  state::Effect tell(const state::InForceEvent& event, const Moment& now,
                     const host::FileLock* lock = nullptr);
  void try_candidate(Pass& pass);
  [[nodiscard]] bool is_candidate_due(const Moment& now) const;
  /// What the nodes of the file in force and of the candidate say counts for a roll-out.
  void note_others();
  /// Holds the candidate where nodes before this one keep it from taking it. False: it may.
  bool is_held_by_others(const Snapshot& snapshot, const Moment& now);
  /// That of a file that is in force already.
  [[nodiscard]] static std::vector<std::vector<std::string>> groups_in_force(
      const config::Cluster& cluster);
  /// What holds the candidate is no longer as the last pass saw it.
  [[nodiscard]] bool rollout_moves() const;
  /// The file in force says in which order a changed one rolls through the cluster.
  [[nodiscard]] bool has_rollout() const;
  /// Judges the file on trial by what the gate shows.
  void judge_trial(const gate::GateReport& report);
  /// What `state_.source` says of the file on trial and of those that failed.
  void note_source();
  /// Applies the file in force in place of one that turned out bad.
  void go_back(Pass& pass);
  /// Puts the file of this node's history in force where the cluster file is refused and no last
  /// good one was ever kept here, as after applies by hand.
  void go_on_from_history(const Moment& now);
  /// What is in force, for others than this process. Empty: nothing is.
  [[nodiscard]] std::optional<state::PublishedFile> published_file() const;
  /// Looks at all, corrects what differs, and reports the rest.
  void hold(Pass& pass);
  /// Carries out, in one transaction, what of the file has waited and waits no longer. False:
  /// nothing has.
  bool carry_out_freed(Snapshot& snapshot, Pass& pass);
  /// The same look again, and at what waits.
  Result<Snapshot> look_again(const Snapshot& snapshot);
  /// Corrects the steps of the snapshot, and looks again: the one way of a whole pass and of a
  /// correction of the network.
  Result<Snapshot> correct(Snapshot snapshot, Pass& pass);
  /// Takes the lock of the process that changes this machine. Empty, and another pass comes soon:
  /// another process has the lock; or, since the snapshot, somebody applied something, or waits for
  /// a confirmation.
  std::optional<host::FileLock> lock_as_seen(Snapshot& snapshot, Pass& pass);
  /// For the history: the daemon applies the file of the snapshot.
  [[nodiscard]] state::ApplyRequest request_for(const Snapshot& snapshot) const;
  /// Carries out the whole plan, or rolls all of it back. Each change is recorded with the cause
  /// and the writer of `why`; the history notes it with `request`.
  apply::Report carry_out(Snapshot& snapshot, const plan::Plan& plan, const ChangeRecord& why,
                          const state::ApplyRequest& request = {});
  /// Whether nothing stands in the way of all corrections.
  [[nodiscard]] bool may_correct_any(const Snapshot& snapshot, const Pass& pass) const;
  /// What differs from now on has been changed by somebody: a whole pass could correct all else.
  void end_set_up(const Snapshot& snapshot, const Pass& pass);
  [[nodiscard]] bool may_correct(const Snapshot& snapshot, const plan::Step& step,
                                 const Pass& pass) const;
  /// Notes in the state that the node was released, where it was.
  void note_release(const Snapshot& snapshot, const Moment& now);
  void note_verdict(gate::Verdict verdict, const Moment& now);
  /// An error of writing our own files is one of the pass.
  void note(const Result<>& written);
  void record(const plan::Plan& plan, const apply::Report& report, const ChangeRecord& why);
  void take_down(Snapshot& snapshot, const Moment& now);
  PassOutcome finish(Pass pass);

  host::Host& host_;
  ReconcilerOptions options_;
  Snapshots snapshots_;
  ActiveConfig file_;
  SourceFollower source_;
  TrialClock trial_;
  std::string trial_waits_;  ///< what keeps the trial from ending; empty: time alone
  RolloutTurn rollout_;
  std::vector<std::string> rollout_before_;  ///< the nodes for which the candidate waits
  DriftTracker drift_;
  JobWaits waits_;
  SeenLinks links_;
  NodeState state_;
  GidIndexes gids_;
  HardwareTracker hardware_;
  bool was_pending_ = false;          ///< an apply waited for its confirmation
  std::optional<config::Node> node_;  ///< as the file in force had it in the last pass
  std::optional<std::string> history_seen_;
  state::Generation last_change_;       ///< the last one of that
  std::optional<std::string> by_hand_;  ///< the last note; empty: it was not looked at yet
  std::string recorded_;                ///< the node that this machine is recorded as
  /// The last good file is gone.
  struct Removal {
    std::chrono::milliseconds seen;  ///< by the boot clock
    bool was_paused = false;
  };
  std::optional<Removal> removal_;
  kinds::Ledger ledger_;        ///< of the node, as it was read last
  bool first_ = true;           ///< nothing was enforced completely so far
  bool sets_up_ = false;        ///< the same, since a ChangeRecord::Cause::kResumed
  bool names_no_node_ = false;  ///< the file in force, as the last pass found it
};

}  // namespace spark::daemon
