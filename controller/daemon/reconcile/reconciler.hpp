#pragma once
// Reconciler: keeps one node as the file says. Each pass reads everything again, corrects what
// differs, and returns all that is known afterwards as one value.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apply/report.hpp"
#include "daemon/common/node_state.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/drift_tracker.hpp"
#include "daemon/reconcile/gid_moves.hpp"
#include "daemon/reconcile/observe_gate.hpp"
#include "host/host.hpp"
#include "host/process/helper_program.hpp"
#include "plan/plan.hpp"
#include "state/select.hpp"

namespace spark::daemon {

struct ReconcilerOptions {
  std::string file;          ///< absolute path of the cluster file
  std::string node;          ///< name in the file; empty: the node that this machine is
  std::string_view version;  ///< of the program; outlives the Reconciler
  Pace pace;
  TakeRules take;  ///< of the cluster file
  host::CheckHelper check_helper = [](host::Helper /*helper*/) { return Result<>{}; };
  /// Where the cluster file is; null: where all other files are.
  host::Files* source = nullptr;
  /// After so long, somebody who removes our files by hand has finished.
  std::chrono::milliseconds removal_rest{1000};
};

/// How often each source asked for a pass since the last one.
using Triggers = std::map<std::string, std::uint64_t>;

/// Why a pass is made, and how far it goes.
struct PassOrder {
  enum class Scope : std::uint8_t {
    kAll,
    kNetwork,  ///< no connection to a target and no mount is made yet
  };
  Triggers triggers;
  /// Who changed a link or its addresses last, by the link's index, as far as that is known.
  std::map<int, std::string> writers;
  Scope scope = Scope::kAll;
  std::vector<SinkState> sinks;  ///< receivers of alerts, for the state that the pass returns
};

struct PassOutcome {
  NodeState state;
  std::shared_ptr<const GoodFile> file;  ///< in force; null: none is
  /// Files and directories that the result depends on.
  std::vector<std::string> sources;
  bool changed = false;      ///< something was changed, or tried
  bool look_deeper = false;  ///< something that only a deep look measures was failing
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
  /// Corrects only what netlink reports, from netlink's own tables: before a pass, and in a
  /// fraction of its time. True: something was corrected, or tried; the next pass reports it.
  bool correct_network(const PassOrder& order);
  /// Takes in an observation of the gate; empty: the gate could not be observed. What a light look
  /// leaves out still counts as it was measured last.
  PassOutcome take_verdict(std::optional<GateObservation> look);

 private:
  /// One look at this machine with one file in mind.
  struct Snapshot {
    host::View view;
    config::Node node;
    kinds::Ledger ledger;
    plan::Plan plan;
    const GoodFile* file = nullptr;
  };

  /// Stops all corrections while an apply waits for its confirmation; rolls back an overdue one.
  void mind_open_journal(const Moment& now, PassOutcome& outcome);
  /// Ends the contests where somebody applied or resumed by hand.
  void mind_hand();
  /// Writes again what somebody removed of our files, as far as it is known, and reports what is
  /// lost.
  void mind_own_state(const Moment& now, PassOutcome& outcome);
  std::string restore_own_state();
  Result<Snapshot> look(const GoodFile& file);
  /// Reads the kernel's tables alone, with a node that was selected before.
  Result<Snapshot> observe_network(const GoodFile& file, config::Node node);
  Result<> complete(Snapshot& snapshot, plan::Kinds kinds);
  /// Parses each text once: parsing takes as long as all else before an address is there again.
  Result<kinds::Ledger> ledger_without_journal(Snapshot& snapshot);
  Result<Snapshot> look_again(const Snapshot& snapshot);
  /// Takes the lock of the process that changes this machine. Empty, and another pass comes soon:
  /// another process has the lock; or, since the snapshot, somebody applied something, or waits for
  /// a confirmation.
  std::optional<host::FileLock> lock_as_seen(Snapshot& snapshot, PassOutcome& outcome);
  void try_candidate(const Moment& now, PassOutcome& outcome);
  /// Puts the file of this node's history in force where the cluster file is refused and no last
  /// good one was ever kept here, as after applies by hand.
  void go_on_from_history(const Moment& now);
  void hold(const Moment& now, PassOutcome& outcome);
  Result<Snapshot> correct(Snapshot snapshot, const Moment& now, PassOutcome& outcome);
  /// Carries out the whole plan, or rolls all of it back.
  apply::Report carry_out(Snapshot& snapshot, const plan::Plan& plan, ChangeRecord::Cause cause);
  [[nodiscard]] bool may_correct(const Snapshot& snapshot, const plan::Step& step,
                                 const Moment& now) const;
  /// Who wrote the resource, as a clause: ", by …"; empty: not known.
  std::string writer_of(Snapshot& snapshot, const plan::Step& step) const;
  /// Notes which links came or changed their carrier since the last look, and when.
  void note_links(Snapshot& snapshot, const Moment& now);
  [[nodiscard]] Occasion occasion_of(const plan::Step& step, const Moment& now) const;
  /// Notes in the state that the node was released, where it was.
  void note_release(const Snapshot& snapshot);
  void note_verdict(gate::Verdict verdict, const Moment& now);
  void record(const plan::Plan& plan, const apply::Report& report, ChangeRecord::Cause cause);
  void take_down(Snapshot& snapshot, const Moment& now);

  host::Host& host_;
  ReconcilerOptions options_;
  ActiveConfig file_;
  DriftTracker drift_;
  NodeState state_;
  GidIndexes gids_;
  bool was_pending_ = false;          ///< an apply waited for its confirmation
  std::optional<config::Node> node_;  ///< as the file in force had it in the last pass
  PassOrder order_;                   ///< of the pass under way
  /// The ledger's text, and what it says.
  std::optional<std::pair<std::optional<std::string>, kinds::Ledger>> parsed_;
  struct SeenLink {
    int index = 0;  ///< 0: it is not there
    bool carrier = false;
    std::chrono::milliseconds came{0};     ///< boot clock; 0: before this process
    std::chrono::milliseconds changed{0};  ///< its carrier, also by the boot clock
  };
  std::map<std::string, SeenLink> seen_;
  std::optional<std::string> by_hand_;  ///< the last note; empty: it was not looked at yet
  std::string recorded_;                ///< the node that this machine is recorded as
  /// The last good file is gone.
  struct Removal {
    std::chrono::milliseconds seen;  ///< by the boot clock
    bool was_paused = false;
  };
  std::optional<Removal> removal_;
  kinds::Ledger ledger_;  ///< of the node, as it was read last
  bool first_ = true;     ///< nothing was enforced completely so far
};

}  // namespace spark::daemon
