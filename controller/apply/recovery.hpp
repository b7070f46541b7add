#pragma once
// The open journal of this machine: of an apply that was cut off, or that waits for its
// confirmation.

#include <optional>

#include "apply/transaction.hpp"
#include "base/result.hpp"
#include "host/host.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"

namespace spark {

/// How an open journal stands.
enum class JournalState : std::uint8_t {
  kInterrupted,  ///< the next apply goes on from there
  kPending,      ///< it may still be confirmed
  kOverdue,      ///< it was not confirmed in time, or before a reboot: it has to be taken back
  kRolledBack,   ///< it was, as the history says, by one that was cut off before the journal was
                 ///< gone
};

/// Of whichever node: a machine is one. Empty: there is none.
/// Errors: as read_journal.
Result<std::optional<Journal>> find_open_journal(Files& files);

/// A history that cannot be read says nothing.
JournalState journal_state_of(Files& files, const Journal& journal, const Moment& now,
                              const std::string& boot);

/// Nobody is to decide about it any more: it is taken back as soon as it is seen.
bool has_to_go(JournalState standing);
/// What the history then says of it.
Generation::Outcome outcome_of_rollback(JournalState standing);

/// Undoes it, and what was cut off before it, as the file of the journal has the node, and has the
/// history say so: `outcome`, or that it is incomplete. Errors: kInvalid when that file cannot be
/// read any more.
Result<Report> roll_back_open(Host& host, const Journal& journal,
                              const TransactionObserver& observer,
                              Generation::Outcome outcome = Generation::Outcome::kRolledBackByHand);

/// Notes in the history what became of it, also where its apply died before it could say that it
/// was: a file that was taken back has to be known as such.
Result<> note_outcome(Files& files, const Journal& journal, Generation::Outcome outcome);

/// "an apply of 2026-01-31T09:30:00Z by root (1769851800000-4711)".
std::string describe(const Journal& journal);

}  // namespace spark
