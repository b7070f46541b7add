#pragma once
// Rollback: rolls back steps, the last first, and reads back: the steps of a transaction that
// failed, or those of a journal, which another process may have written.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apply/report.hpp"
#include "host/host.hpp"
#include "host/view.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"

namespace spark::apply {

/// The links of the steps, or all links where a step ends IPv6 everywhere; and the links stacked on
/// them, which a change below may change too.
std::set<std::string> touched_links(const std::vector<const plan::Step*>& steps, host::View& view);

/// Rolls back the first `tried` steps of a plan that failed, and fills in `report`: kRolledBack, or
/// kRollbackIncomplete and what differs from `before`. `released`: it was the plan of a release.
void roll_back_steps(host::Host& host, const plan::Plan& plan, bool released, std::size_t tried,
                     host::View& before, const kinds::Ledger& ledger,
                     const TransactionObserver& observer, Report& report);

/// Rolls back the steps of a journal that are in force, and restores the ledger. Skips what a
/// reboot has already rolled back. Needs nothing but the journal: the files of this node may be
/// gone, or broken. Returns kRolledBack, or kRollbackIncomplete, which keeps the journal. The
/// history gets `outcome`, or that the rollback is incomplete. After a complete rollback, the
/// journal of an apply that was interrupted before this one is open again. What the kernel removed
/// with an address is reported, and keeps no journal: no rollback restores it.
///
/// No guard judges it, and its connectivity is not checked: it leads to what this machine was
/// reached through before the apply, and where somebody is cut off it is the way back. A check that
/// needs the management link would need the file, and half an apply protects nobody.
Report roll_back_journal(
    host::Host& host, const state::Journal& journal, const TransactionObserver& observer,
    state::Generation::Outcome outcome = state::Generation::Outcome::kRolledBackByHand);

/// After a complete rollback, removes the journal; that of an apply that was `interrupted` before
/// stays. An incomplete rollback keeps its journal, which has what was there before.
void remove_rolled_back_journal(host::Files& files, const std::string& node,
                                const std::optional<state::Journal>& interrupted, Report& report);

/// What the end of an apply that waited, or was interrupted, means for the file in force. Errors:
/// those of the files port; the journal has to stay then.
Result<> tell_in_force(host::Files& files, const state::Journal& journal,
                       state::Generation::Outcome outcome);

/// Notes in the history what became of the journal's apply, also where that died before it wrote
/// its entry: a file that was rolled back has to be known as such.
Result<> note_outcome(host::Files& files, const state::Journal& journal,
                      state::Generation::Outcome outcome);

}  // namespace spark::apply
