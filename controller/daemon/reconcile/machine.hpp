#pragma once
// Machine: how the stages of a pass look at this machine with one file in mind, and how they change
// it, under the lock.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "apply/report.hpp"
#include "base/moment.hpp"
#include "base/result.hpp"
#include "config/node.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/pass.hpp"
#include "daemon/reconcile/source_follower.hpp"
#include "host/file_lock.hpp"
#include "host/host.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"
#include "plan/plan.hpp"
#include "state/journal.hpp"

namespace spark::daemon {

/// One look.
struct Snapshot {
  host::View view;
  config::Node node;
  kinds::Ledger ledger;
  plan::Plan plan;
  const GoodFile* file = nullptr;
};

constexpr bool is_correction(ChangeRecord::Cause cause) {
  return cause == ChangeRecord::Cause::kDrift || cause == ChangeRecord::Cause::kLink;
}

/// What was made since the daemon started.
struct Made {
  std::deque<ChangeRecord> changes;                  ///< as NodeState has them
  std::map<std::string, std::uint64_t> corrections;  ///< by kind, as Counters has them
  std::map<std::string, std::uint64_t> drifts;
  std::map<std::string, std::uint64_t> failures;
};

class Machine {
 public:
  /// `node`: as in select(). `host`, `file` and `source` must outlive it.
  Machine(host::Host& host, std::string node, const ActiveConfig& file,
          const SourceFollower& source, Clock clock);

  /// Reads everything. Errors: what keeps the machine, or the node's state on disk, from being
  /// read.
  Result<Snapshot> of_all(const GoodFile& file);
  /// Reads netlink's tables alone, with a node that was selected before. Errors: as of_all; kBusy
  /// where an apply is not over, or waits for its confirmation.
  Result<Snapshot> of_network(const GoodFile& file, config::Node node);
  /// The same look again.
  Result<Snapshot> again(const Snapshot& snapshot);

  /// Takes the lock of the process that changes this machine. Empty, and another pass comes soon:
  /// another process has the lock; or, since the snapshot, somebody applied something, or waits for
  /// a confirmation.
  std::optional<host::FileLock> lock_as_seen(Snapshot& snapshot, Pass& pass);
  /// Carries out the whole plan, or rolls all of it back. Each change is recorded with the cause
  /// and the writer of `why`; the history notes it with `request`. A writer that is quicker than
  /// the look that follows a correction makes a contest, and no failure. Errors: what failed, and
  /// what the rollback left different, in one clause.
  Result<apply::Report> carry_out(Snapshot& snapshot, const plan::Plan& plan,
                                  const ChangeRecord& why, const state::ApplyRequest& request = {});
  /// The same for a plan that the file of the snapshot is new to: the daemon applies that file,
  /// which is on trial as `offer` says. `change_id`: the `--change-id` of who asked for it.
  Result<apply::Report> apply_file(Snapshot& snapshot, const plan::Plan& plan,
                                   const state::InForce::Offer& offer = {},
                                   const std::string& change_id = {});
  [[nodiscard]] const Made& made() const { return made_; }
  /// As it was given.
  [[nodiscard]] const std::string& node() const { return node_; }

 private:
  Result<Snapshot> complete(Snapshot snapshot, plan::Kinds kinds);
  Result<kinds::Ledger> ledger_without_journal(Snapshot& snapshot);
  /// `change`: what is the same for each step.
  void record(const plan::Plan& plan, const apply::Report& report, const ChangeRecord& change);

  host::Host& host_;
  std::string node_;
  const ActiveConfig& file_;
  const SourceFollower& source_;
  Clock clock_;
  /// The ledger's text, and what it says.
  std::optional<std::pair<std::optional<std::string>, kinds::Ledger>> parsed_;
  Made made_;
};

}  // namespace spark::daemon
