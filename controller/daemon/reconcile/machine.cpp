#include "daemon/reconcile/machine.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apply/transaction.hpp"
#include "plan/refusals.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/ledger.hpp"
#include "state/select.hpp"

namespace spark::daemon {
namespace {

/// Whether the state on disk is still as in the snapshot: since then nobody has applied anything,
/// and no apply waits for its confirmation.
bool is_current(host::Files& files, Snapshot& snapshot) {
  const auto& node = snapshot.node.name;
  const auto same = [&](const std::string& path) {
    const auto now = files.read(path);
    const auto& seen = snapshot.view.file(path);
    return now && seen && *now == *seen;
  };
  return same(state::ledger_path(node)) && std::ranges::all_of(state::journal_paths(node), same);
}

std::string what_failed(const apply::Report& report) {
  const auto failure = report.failure ? report.failure->what : std::string("it failed");
  return report.outcome == apply::Report::Outcome::kRollbackIncomplete
             ? fmt::format("{}; the rollback is incomplete: {}", failure,
                           fmt::join(report.differs, ", "))
             : failure;
}

}  // namespace

Machine::Machine(host::Host& host, std::string node, const ActiveConfig& file,
                 const SourceFollower& source, Clock clock)
    : host_(host), node_(std::move(node)), file_(file), source_(source), clock_(std::move(clock)) {}

Result<Snapshot> Machine::of_all(const GoodFile& file) {
  host::View view(host_);
  auto selection = state::select(file.cluster, node_, view);
  if (!selection) return std::unexpected(selection.error());
  return complete({.view = std::move(view), .node = std::move(selection->node), .file = &file},
                  plan::Kinds::kAll);
}

Result<Snapshot> Machine::of_network(const GoodFile& file, config::Node node) {
  host::View view(host_);
  if (const auto journal = state::find_journal(view, node.name); !journal || *journal) {
    return fail(ErrorCode::kBusy, "an apply is not over, or waits for its confirmation");
  }
  return complete({.view = std::move(view), .node = std::move(node), .file = &file},
                  plan::Kinds::kNetlink);
}

Result<Snapshot> Machine::again(const Snapshot& snapshot) {
  return snapshot.plan.kinds == plan::Kinds::kAll ? of_all(*snapshot.file)
                                                  : of_network(*snapshot.file, snapshot.node);
}

Result<Snapshot> Machine::complete(Snapshot snapshot, plan::Kinds kinds) {
  auto ledger = kinds == plan::Kinds::kAll ? state::known_ledger(snapshot.view, snapshot.node.name)
                                           : ledger_without_journal(snapshot);
  if (!ledger) return std::unexpected(ledger.error());
  snapshot.ledger = std::move(*ledger);
  snapshot.plan = plan::make_plan(snapshot.node, snapshot.view, snapshot.ledger, kinds);
  plan::add_refusals(snapshot.plan, snapshot.node, snapshot.view, snapshot.ledger);
  return snapshot;
}

/// Parses each text once: parsing takes as long as all else before an address is there again.
Result<kinds::Ledger> Machine::ledger_without_journal(Snapshot& snapshot) {
  const auto& text = snapshot.view.file(state::ledger_path(snapshot.node.name));
  if (!text) return std::unexpected(text.error());
  if (!parsed_ || parsed_->first != *text) {
    auto ledger = state::read_ledger(snapshot.view, snapshot.node.name);
    if (!ledger) return ledger;
    parsed_.emplace(*text, std::move(*ledger));
  }
  return parsed_->second;
}

std::optional<host::FileLock> Machine::lock_as_seen(Snapshot& snapshot, Pass& pass) {
  auto lock = host_.files.lock(protocol::kLockFile);
  if (lock && is_current(host_.files, snapshot) && file_.is_current(host_.files)) {
    return std::move(*lock);
  }
  pass.outcome.again_in = kAfterBusy;
  return std::nullopt;
}

Result<apply::Report> Machine::carry_out(Snapshot& snapshot, const plan::Plan& plan,
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

Result<apply::Report> Machine::apply_file(Snapshot& snapshot, const plan::Plan& plan,
                                          const state::InForce::Offer& offer,
                                          const std::string& change_id) {
  const auto& [name, text, cluster] = *snapshot.file;
  return carry_out(snapshot, plan, {.cause = ChangeRecord::Cause::kFile},
                   {.file = name,
                    .text = text,
                    .by = state::kByDaemon,
                    .settle = offer.settle,
                    .offer = offer.offer,
                    .commit = source_.commit_of(host_.files, snapshot.node.name, cluster.digest),
                    .change_id = change_id});
}

void Machine::record(const plan::Plan& plan, const apply::Report& report,
                     const ChangeRecord& change) {
  const bool is_made = change.failure.empty() || change.overwritten;
  for (const auto& done : report.steps) {
    if (done.waits()) continue;  // it is skipped, and reported there
    const auto& step = plan.steps[done.step];
    auto& made = made_.changes.emplace_front(change);
    made.at = clock_();
    made.kind = step.kind;
    made.key = step.key;
    made.on = step.on;
    made.before = step.before;
    made.after = step.after;
    made.took = done.took;
    ++(is_made ? made_.corrections : made_.failures)[made.kind];
    if (is_made && change.cause == ChangeRecord::Cause::kDrift) ++made_.drifts[made.kind];
  }
  if (made_.changes.size() > kMostChanges) made_.changes.resize(kMostChanges);
}

}  // namespace spark::daemon
