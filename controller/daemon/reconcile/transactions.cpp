#include "daemon/reconcile/transactions.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apply/transaction.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"

namespace spark::daemon {

namespace {

std::string what_failed(const apply::Report& report) {
  const auto failure = report.failure ? report.failure->what : std::string("it failed");
  return report.outcome == apply::Report::Outcome::kRollbackIncomplete
             ? fmt::format("{}; the rollback is incomplete: {}", failure,
                           fmt::join(report.differs, ", "))
             : failure;
}

}  // namespace

Transactions::Transactions(host::Host& host, const ActiveConfig& file, const SourceFollower& source,
                           Clock clock)
    : host_(host), file_(file), source_(source), clock_(std::move(clock)) {}

std::optional<host::FileLock> Transactions::lock_as_seen(Snapshot& snapshot, Pass& pass) {
  auto lock = host_.files.lock(protocol::kLockFile);
  if (lock && is_current(host_.files, snapshot) && file_.is_current(host_.files)) {
    return std::move(*lock);
  }
  pass.outcome.again_in = kAfterBusy;
  return std::nullopt;
}

Result<apply::Report> Transactions::carry_out(Snapshot& snapshot, const plan::Plan& plan,
                                              const ChangeRecord& why,
                                              const state::ApplyRequest& request) {
  auto report = apply::Transaction(host_, snapshot.node, plan, snapshot.view, snapshot.ledger,
                                   apply::TransactionObserver{}, request)
                    .run();
  const bool is_whole = report.outcome == apply::Report::Outcome::kApplied ||
                        report.outcome == apply::Report::Outcome::kNothingToDo;
  auto change = why;
  if (!is_whole) change.failure = what_failed(report);
  change.overwritten = !is_whole && report.overwritten && is_correction(why.cause);
  record(plan, report, change);
  if (!is_whole && !change.overwritten) return fail(ErrorCode::kSystem, change.failure);
  return report;
}

Result<apply::Report> Transactions::apply_file(Snapshot& snapshot, const plan::Plan& plan,
                                               std::optional<std::chrono::milliseconds> settle) {
  const auto& [name, text, cluster] = *snapshot.file;
  return carry_out(snapshot, plan, {.cause = ChangeRecord::Cause::kFile},
                   {.file = name,
                    .text = text,
                    .by = state::kByDaemon,
                    .confirm_within = {},
                    .settle = settle,
                    .commit = source_.commit_of(host_.files, snapshot.node.name, cluster.digest)});
}

void Transactions::record(const plan::Plan& plan, const apply::Report& report,
                          const ChangeRecord& change) {
  const bool is_made = change.failure.empty() || change.overwritten;
  for (const auto& done : report.steps) {
    if (done.waits()) continue;  // it is skipped, and reported there
    const auto& step = plan.steps[done.step];
    auto& made = made_.changes.emplace_front(change);
    made.at = clock_();
    made.kind = step.kind;
    made.key = step.key;
    made.before = step.before;
    made.after = step.after;
    made.took = done.took;
    ++(is_made ? made_.corrections : made_.failures)[made.kind];
    if (is_made && change.cause == ChangeRecord::Cause::kDrift) ++made_.drifts[made.kind];
  }
  if (made_.changes.size() > kMostChanges) made_.changes.resize(kMostChanges);
}

}  // namespace spark::daemon
