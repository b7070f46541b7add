#include "apply/recovery.hpp"

#include <vector>

#include <fmt/format.h>

#include "apply/rollback.hpp"
#include "base/text.hpp"
#include "protocol/paths.hpp"
#include "state/node_record.hpp"

namespace spark::apply {
namespace {

/// Where one of any node may be, in the order in which find_journal looks.
Result<std::vector<std::string>> possible_paths(host::Files& files) {
  std::vector<std::string> paths;
  const auto nodes = files.list(protocol::kStateDirectory);
  if (!nodes) return std::unexpected(nodes.error());
  for (const auto& node : *nodes) {
    // What a copied disk brought along was never done to this machine.
    if (!state::is_of_another_machine(files, node)) {
      paths.push_back(state::journal_paths(node).back());
    }
  }
  const auto passing = files.list(protocol::kApplyDirectory);
  if (!passing) return std::unexpected(passing.error());
  for (const auto& name : *passing) {
    if (const auto path = fmt::format("{}/{}", protocol::kApplyDirectory, name);
        path.starts_with(protocol::kVolatileJournals)) {
      paths.push_back(path);
    }
  }
  return paths;
}

}  // namespace

Result<std::optional<state::Journal>> find_open_journal(host::Files& files) {
  const auto paths = possible_paths(files);
  if (!paths) return std::unexpected(paths.error());
  for (const auto& path : *paths) {
    const auto text = files.read(path);
    if (!text) return std::unexpected(text.error());
    if (!*text) continue;
    auto journal = state::parse_journal(path, **text);
    if (!journal) return std::unexpected(journal.error());
    return std::move(*journal);
  }
  return std::nullopt;
}

JournalState journal_state_of(host::Files& files, const state::Journal& journal, const Moment& now,
                              const std::string& boot) {
  const auto history = state::read_history(files, journal.node);
  if (history &&
      state::outcome_of(*history, journal.id) == state::Generation::Outcome::kRolledBackByHand) {
    return JournalState::kRolledBack;
  }
  if (!journal.request.confirm_within) return JournalState::kInterrupted;
  return journal.left(now, boot).count() > 0 ? JournalState::kPending : JournalState::kOverdue;
}

bool has_to_go(JournalState state) {
  return state == JournalState::kOverdue || state == JournalState::kRolledBack;
}

state::Generation::Outcome outcome_of_rollback(JournalState state) {
  return state == JournalState::kOverdue ? state::Generation::Outcome::kUnconfirmed
                                         : state::Generation::Outcome::kRolledBackByHand;
}

Report roll_back_open(host::Host& host, const state::Journal& journal,
                      const TransactionObserver& observer, state::Generation::Outcome outcome) {
  auto report = roll_back_journal(host, journal, observer, outcome);
  if (journal.over.empty() || report.outcome != Report::Outcome::kRolledBack) return report;
  auto earlier = roll_back_open(host, journal.over.front(), observer);
  earlier.steps.insert(earlier.steps.begin(), report.steps.begin(), report.steps.end());
  earlier.taken_along.insert(earlier.taken_along.begin(), report.taken_along.begin(),
                             report.taken_along.end());
  if (!earlier.unnoted) earlier.unnoted = report.unnoted;
  return earlier;
}

std::string describe(const state::Journal& journal) {
  return fmt::format("an apply of {} by {} ({})", utc_text(journal.began.wall),
                     journal.request.by.empty() ? "nobody known" : printable(journal.request.by),
                     journal.id);
}

UnfinishedApply unfinished(const state::Journal& journal, JournalState state) {
  const auto what = describe(journal);
  switch (state) {
    case JournalState::kPending:
      return {what + " waits for its confirmation",
              "`spark-reconcile confirm` keeps it, `spark-reconcile rollback` rolls it back"};
    case JournalState::kOverdue:
      return {what + " was not confirmed in time, and is not rolled back yet",
              "`spark-reconcile rollback`"};
    case JournalState::kRolledBack:
      return {what + " was rolled back, and its journal is still there",
              "`spark-reconcile rollback` removes it"};
    case JournalState::kInterrupted:
      break;
  }
  return {what + " was interrupted",
          "`spark-reconcile apply` finishes it, `spark-reconcile rollback` rolls it back"};
}

Result<std::optional<UnfinishedApply>> find_unfinished(host::Host& host, const Moment& now,
                                                       const std::function<bool()>& is_locked) {
  const auto open = find_open_journal(host.files);
  if (!open) return std::unexpected(open.error());
  if (!*open) return std::nullopt;
  const auto state = journal_state_of(host.files, **open, now, state::boot_id(host));
  if (state == JournalState::kPending) return std::nullopt;
  // Who holds the lock is the apply itself, or one that finishes it.
  if (is_locked()) return std::nullopt;
  // It may have ended since its journal was read.
  const auto still = find_open_journal(host.files);
  const bool is_open = still && *still && (*still)->id == (*open)->id;
  return is_open ? std::optional(unfinished(**open, state)) : std::nullopt;
}

}  // namespace spark::apply
