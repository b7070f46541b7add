#pragma once
// FileStages: the stages of a pass that are about which file is in force: the source and the file
// that it names, the one on trial, and the one whose turn comes in a roll-out.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/cluster.hpp"
#include "config/node.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/file_trial.hpp"
#include "daemon/reconcile/job_waits.hpp"
#include "daemon/reconcile/machine.hpp"
#include "daemon/reconcile/offer_stages.hpp"
#include "daemon/reconcile/pass.hpp"
#include "daemon/reconcile/rollout_turn.hpp"
#include "daemon/reconcile/source_follower.hpp"
#include "gate/common/facts.hpp"
#include "host/file_lock.hpp"
#include "host/host.hpp"
#include "host/process/helper_program.hpp"
#include "state/published_file.hpp"

namespace spark::daemon {

class FileStages {
 public:
  /// `own`: where the file `path` is, which is followed where there is no source; null: where all
  /// other files are. It and `host` must outlive this.
  FileStages(host::Host& host, const SourceRules& source, const std::string& path,
             const TakeRules& take, host::Files* own, host::CheckHelper check_helper);

  /// Points to the file that is followed, reads it, and ends what stands in no file any more.
  /// `last`: what the last pass found. `node`: as the user named it.
  void look(bool is_first, const Found& last, const std::string& node, Pass& pass);
  /// Applies the file in force in place of one that turned out bad.
  void go_back(Machine& machine, JobWaits& waits, Pass& pass);
  /// Applies the candidate, once it is due, nodes before this one let it, and no job hinders it.
  void take(Machine& machine, JobWaits& waits, Pass& pass);
  /// Puts the file of this node's history in force where the cluster file is refused and no last
  /// good one was ever kept here, as after applies by hand.
  void go_on_from_history(const Machine& machine, Pass& pass);
  /// Says what becomes of a file that all nodes are offered.
  void answer_offer(Machine& machine, Pass& pass);
  /// A whole pass ends with this file in force.
  void end_pass(const config::Cluster& in_force, const Pass& pass);

  /// As of RolloutTurn, after a look at what other nodes say. `node`: as the file in force has it.
  void excuse_other_ends(gate::GateReport& report, const std::optional<config::Node>& node,
                         const Moment& now);
  /// Takes in a look at the gate. `waits`: a part of the file waits for a job.
  void judge(const gate::GateReport& report, bool waits, Pass& pass);
  /// There can be no look at the gate.
  void go_on_unseen(Pass& pass);

  [[nodiscard]] const ActiveConfig& file() const { return file_; }
  [[nodiscard]] const SourceFollower& source() const { return source_; }
  [[nodiscard]] const OfferStages& offers() const { return offers_; }
  [[nodiscard]] const std::vector<std::vector<std::string>>& groups() const { return groups_; }
  /// With what is known of the trial.
  [[nodiscard]] std::optional<SourceState> source_state() const;
  /// What is in force, for others than this process. Empty: nothing is.
  [[nodiscard]] std::optional<state::PublishedFile> published(
      const std::string& node, const std::optional<RolloutHeld>& rollout) const;

 private:
  /// False: the file may not be applied to this node as it is now; it is refused.
  bool may_apply(Snapshot& snapshot, const Moment& now);
  /// The candidate is for all nodes, and they are not asked yet.
  [[nodiscard]] bool waits_for_all() const;
  /// Holds the candidate where nodes before this one keep it from taking it. False: it may.
  bool is_held_by_others(const Snapshot& snapshot, Pass& pass);
  /// Applies the candidate, but for the steps `waiting`.
  void apply(Machine& machine, JobWaits& waits, Snapshot& snapshot,
             const std::set<std::string>& waiting, const host::FileLock& lock, Pass& pass);
  /// What the nodes of the file in force and of the candidate say counts for a roll-out.
  void note_others();

  host::Host& host_;
  host::Files& own_;
  host::CheckHelper check_helper_;
  ActiveConfig file_;
  SourceFollower source_;
  OfferStages offers_;
  FileTrial trial_;
  RolloutTurn rollout_;
  std::vector<std::vector<std::string>> groups_;  ///< as NodeState::rollout_groups
};

}  // namespace spark::daemon
