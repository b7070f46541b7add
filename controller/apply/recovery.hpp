#pragma once
// Recovery: what to do with this machine's open journal, whose apply was interrupted or waits for
// its confirmation.

#include <functional>
#include <optional>
#include <string>

#include "apply/report.hpp"
#include "base/fields.hpp"
#include "base/result.hpp"
#include "host/host.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"

namespace spark::apply {

/// What became of the apply of an open journal.
enum class JournalState : std::uint8_t {
  kInterrupted,  ///< the next apply resumes from there
  kPending,      ///< it may still be confirmed
  kOverdue,      ///< not confirmed in time, or before a reboot: it has to be rolled back
  kRolledBack,   ///< rolled back, as the history says; only the journal is still there
};

/// The open journal, whichever node it is of: a machine is one node. Empty: there is none.
/// Errors: as read_journal.
Result<std::optional<state::Journal>> find_open_journal(host::Files& files);

/// Decides by the journal alone where the history cannot be read.
JournalState journal_state_of(host::Files& files, const state::Journal& journal, const Moment& now,
                              const std::string& boot);

/// True: nobody can confirm the apply any more, so it is rolled back as soon as it is seen.
bool has_to_go(JournalState state);
/// The outcome that the history gets for a rollback in this state.
state::Generation::Outcome outcome_of_rollback(JournalState state);

/// Rolls back the journal, and those of the applies that were interrupted before it. The history
/// gets `outcome`, or that the rollback is incomplete.
Report roll_back_open(
    host::Host& host, const state::Journal& journal, const TransactionObserver& observer,
    state::Generation::Outcome outcome = state::Generation::Outcome::kRolledBackByHand);

/// "an apply of 2026-01-31T09:30:00Z by root (1769851800000-4711)".
std::string describe(const state::Journal& journal);

/// An apply that is not over, in words.
struct UnfinishedApply {
  std::string what;    ///< "an apply of … was interrupted"
  std::string remedy;  ///< with `commands` between backticks
  bool operator==(const UnfinishedApply&) const = default;
};

template <EitherConst<UnfinishedApply> T, class Visit>
void each_field(T& apply, Visit visit) {
  visit("what", apply.what);
  visit("remedy", apply.remedy);
}

UnfinishedApply unfinished(const state::Journal& journal, JournalState state);

/// Empty: no journal is open, its apply is still at work, or it may still be confirmed.
/// `is_locked`: somebody holds the lock of all who change this machine. Errors: as read_journal.
Result<std::optional<UnfinishedApply>> find_unfinished(host::Host& host, const Moment& now,
                                                       const std::function<bool()>& is_locked);

}  // namespace spark::apply
