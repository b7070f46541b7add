#pragma once
// Reconciler: keeps one node as the file says. Each pass reads everything again, corrects what
// differs, and returns all that is known afterwards as one value. Here are the stages of a pass and
// their order; each keeps what it knows itself.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/reconcile/corrections.hpp"
#include "daemon/reconcile/file_stages.hpp"
#include "daemon/reconcile/gate_record.hpp"
#include "daemon/reconcile/job_waits.hpp"
#include "daemon/reconcile/machine.hpp"
#include "daemon/reconcile/noted_applies.hpp"
#include "daemon/reconcile/observe_gate.hpp"
#include "daemon/reconcile/open_journal.hpp"
#include "daemon/reconcile/own_files.hpp"
#include "daemon/reconcile/pass.hpp"
#include "daemon/reconcile/pass_record.hpp"
#include "host/host.hpp"
#include "host/process/helper_program.hpp"

namespace spark::daemon {

struct ReconcilerOptions {
  std::string file;          ///< absolute path of the cluster file
  std::string node;          ///< name in the file; empty: the node that this machine is
  std::string_view version;  ///< of the program
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
  Reconciler(host::Host& host, const ReconcilerOptions& options);
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;
  ~Reconciler() = default;

  /// Looks, corrects and looks again.
  PassOutcome pass(const PassOrder& order);
  /// Corrects what netlink reports alone, from netlink's own tables: between two passes, and in a
  /// fraction of the time of one. True: something was corrected, or tried; the next pass reports
  /// it.
  bool correct_network(const host::Writers& writers);
  /// Whether who uses the rails that something waits for is no longer as the last pass saw it.
  bool users_changed() { return waits_.users_changed(host_.rdma); }
  /// Takes in an observation of the gate; empty: the gate could not be observed. What a light look
  /// leaves out still counts as it was measured last.
  PassOutcome take_verdict(std::optional<GateObservation> look);

 private:
  /// What somebody did since the last pass.
  struct Others {
    OwnFiles own_files;
    OpenJournal journal;
    NotedApplies applies;
  };

  /// Corrects what differs from the file in force, and takes down the rest.
  void hold(Pass& pass);
  PassOutcome finish(Pass pass);
  /// When to look again even if no event comes.
  void schedule(PassOutcome& outcome) const;
  /// What all stages know.
  NodeState state();

  host::Host& host_;
  Others others_;
  FileStages file_;
  Machine machine_;
  JobWaits waits_;
  Corrections corrections_;
  PassRecord record_;
  GateRecord gate_;
};

}  // namespace spark::daemon
