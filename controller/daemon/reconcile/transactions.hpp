#pragma once
// Transactions: makes the changes of the Reconciler, under the lock, and keeps what was changed and
// why.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "apply/report.hpp"
#include "base/moment.hpp"
#include "base/result.hpp"
#include "daemon/common/node_state.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/pass.hpp"
#include "daemon/reconcile/snapshot.hpp"
#include "daemon/reconcile/source_follower.hpp"
#include "host/file_lock.hpp"
#include "host/host.hpp"
#include "plan/plan.hpp"
#include "state/journal.hpp"

namespace spark::daemon {

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

class Transactions {
 public:
  /// `host`, `file` and `source` must outlive it.
  Transactions(host::Host& host, const ActiveConfig& file, const SourceFollower& source,
               Clock clock);

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
  /// which is on trial for `settle`.
  Result<apply::Report> apply_file(Snapshot& snapshot, const plan::Plan& plan,
                                   std::optional<std::chrono::milliseconds> settle = std::nullopt);
  [[nodiscard]] const Made& made() const { return made_; }

 private:
  /// `change`: what is the same for each step.
  void record(const plan::Plan& plan, const apply::Report& report, const ChangeRecord& change);

  host::Host& host_;
  const ActiveConfig& file_;
  const SourceFollower& source_;
  Clock clock_;
  Made made_;
};

}  // namespace spark::daemon
