#include "daemon/reconcile/snapshot.hpp"

#include <algorithm>

#include "plan/refusals.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"
#include "state/select.hpp"

namespace spark::daemon {

Result<Snapshot> Snapshots::of_all(const GoodFile& file) {
  host::View view(host_);
  auto selection = state::select(file.cluster, node_, view);
  if (!selection) return std::unexpected(selection.error());
  return complete({.view = std::move(view),
                   .node = std::move(selection->node),
                   .ledger = {},
                   .plan = {},
                   .file = &file},
                  plan::Kinds::kAll);
}

Result<Snapshot> Snapshots::of_network(const GoodFile& file, config::Node node) {
  host::View view(host_);
  if (const auto journal = state::find_journal(view, node.name); !journal || *journal) {
    return fail(ErrorCode::kBusy, "an apply is not over, or waits for its confirmation");
  }
  return complete(
      {.view = std::move(view), .node = std::move(node), .ledger = {}, .plan = {}, .file = &file},
      plan::Kinds::kNetlink);
}

Result<Snapshot> Snapshots::again(const Snapshot& snapshot) {
  return snapshot.plan.kinds == plan::Kinds::kAll ? of_all(*snapshot.file)
                                                  : of_network(*snapshot.file, snapshot.node);
}

Result<Snapshot> Snapshots::complete(Snapshot snapshot, plan::Kinds kinds) {
  auto ledger = kinds == plan::Kinds::kAll ? state::known_ledger(snapshot.view, snapshot.node.name)
                                           : ledger_without_journal(snapshot);
  if (!ledger) return std::unexpected(ledger.error());
  snapshot.ledger = std::move(*ledger);
  snapshot.plan = plan::make_plan(snapshot.node, snapshot.view, snapshot.ledger, kinds);
  plan::add_refusals(snapshot.plan, snapshot.node, snapshot.view, snapshot.ledger);
  return snapshot;
}

/// Parses each text once: parsing takes as long as all else before an address is there again.
Result<kinds::Ledger> Snapshots::ledger_without_journal(Snapshot& snapshot) {
  const auto& text = snapshot.view.file(state::ledger_path(snapshot.node.name));
  if (!text) return std::unexpected(text.error());
  if (!parsed_ || parsed_->first != *text) {
    auto ledger = state::read_ledger(snapshot.view, snapshot.node.name);
    if (!ledger) return ledger;
    parsed_.emplace(*text, std::move(*ledger));
  }
  return parsed_->second;
}

bool is_current(host::Files& files, Snapshot& snapshot) {
  const auto& node = snapshot.node.name;
  const auto same = [&](const std::string& path) {
    const auto now = files.read(path);
    const auto& seen = snapshot.view.file(path);
    return now && seen && *now == *seen;
  };
  return same(state::ledger_path(node)) && std::ranges::all_of(state::journal_paths(node), same);
}

}  // namespace spark::daemon
