#pragma once
// Rollback: takes the changes of a transaction back, the last first, and reads back.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "apply/transaction.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"

namespace spark {

/// The links of the steps (all, where one ends IPv6 everywhere), and those stacked on them, which a
/// change below may change too.
std::set<std::string> touched_links(const std::vector<const Step*>& steps, View& view);

/// Undoes the first `attempted` steps of the plan that failed, and says in `report` how that went.
void roll_back(Host& host, const Node& node, const Plan& plan, std::size_t attempted, View& before,
               const Ledger& ledger, const TransactionObserver& observer, Report& report);

/// Undoes what is in force of a journal, whoever wrote it, and restores the ledger. What a reboot
/// has taken back by itself is left. `node` must be as the file of the journal has it.
/// Gives kRolledBack, or kRollbackIncomplete and keeps the journal; the history says `outcome`, or
/// that it is incomplete. One that this began after is open then, and not undone. What the kernel
/// took along is said, and keeps nothing: no undo brings it back.
Report roll_back_journal(Host& host, const Node& node, const Journal& journal,
                         const TransactionObserver& observer,
                         Generation::Outcome outcome = Generation::Outcome::kRolledBackByHand);

}  // namespace spark
