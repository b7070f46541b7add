#pragma once
// Reconciler: keeps one node as the file says. Each pass reads everything again, corrects what
// differs, and returns all that is known afterwards as one value.

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "daemon/common/node_state.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/corrections.hpp"
#include "daemon/reconcile/file_trial.hpp"
#include "daemon/reconcile/gid_moves.hpp"
#include "daemon/reconcile/hardware_tracker.hpp"
#include "daemon/reconcile/job_waits.hpp"
#include "daemon/reconcile/noted_applies.hpp"
#include "daemon/reconcile/observe_gate.hpp"
#include "daemon/reconcile/open_journal.hpp"
#include "daemon/reconcile/own_files.hpp"
#include "daemon/reconcile/pass.hpp"
#include "daemon/reconcile/rollout_turn.hpp"
#include "daemon/reconcile/snapshot.hpp"
#include "daemon/reconcile/source_follower.hpp"
#include "daemon/reconcile/transactions.hpp"
#include "host/host.hpp"
#include "host/process/helper_program.hpp"
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

/// Not thread-safe: one worker has it.
class Reconciler {
 public:
  /// `host` must outlive it.
  Reconciler(host::Host& host, ReconcilerOptions options);
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;
  ~Reconciler() = default;

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
  /// Points to the file that is followed, reads it, and ends what stands in no file any more.
  void look_at_file(Pass& pass);
  void try_candidate(Pass& pass);
  /// False: the file may not be applied to this node as it is now; it is refused.
  bool may_apply(Snapshot& snapshot, const Moment& now);
  /// Holds the candidate where nodes before this one keep it from taking it. False: it may.
  bool is_held_by_others(const Snapshot& snapshot, Pass& pass);
  /// Applies the candidate, but for the steps `waiting`.
  void take_candidate(Snapshot& snapshot, const std::set<std::string>& waiting,
                      const host::FileLock& lock, Pass& pass);
  /// What the nodes of the file in force and of the candidate say counts for a roll-out.
  void note_others();
  /// Applies the file in force in place of one that turned out bad.
  void go_back(Pass& pass);
  /// Puts the file of this node's history in force where the cluster file is refused and no last
  /// good one was ever kept here, as after applies by hand.
  void go_on_from_history(Pass& pass);
  /// What is in force, for others than this process. Empty: nothing is.
  [[nodiscard]] std::optional<state::PublishedFile> published_file() const;
  /// Looks at all, corrects what differs, and reports the rest.
  void hold(Pass& pass);
  /// Notes that the node was released, where it was.
  void note_release(const Snapshot& snapshot, Pass& pass);
  void note_verdict(gate::Verdict verdict, const Moment& now);
  /// Puts what a whole pass found into the state.
  void take_down(Snapshot& snapshot, Pass& pass);
  PassOutcome finish(Pass pass);
  /// What a look at the gate shows of links and machines beside the facts.
  void take_surroundings(GateObservation& look);
  void take_facts(gate::GateReport report, Pass& pass);
  /// With what the parts know of themselves.
  const NodeState& state();

  host::Host& host_;
  ReconcilerOptions options_;
  Snapshots snapshots_;
  ActiveConfig file_;
  SourceFollower source_;
  OwnFiles own_files_;
  OpenJournal journal_;
  NotedApplies applies_;
  FileTrial trial_;
  RolloutTurn rollout_;
  JobWaits waits_;
  Transactions transactions_;
  Corrections corrections_;
  NodeState state_;
  GidIndexes gids_;
  HardwareTracker hardware_;
  std::optional<config::Node> node_;  ///< as the file in force had it in the last pass
  bool names_no_node_ = false;        ///< the file in force, as the last pass found it
};

}  // namespace spark::daemon
