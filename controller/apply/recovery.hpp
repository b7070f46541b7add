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
enum class Standing : std::uint8_t {
  kCutOff,     ///< the next apply goes on from there
  kPending,    ///< it may still be confirmed
  kOverdue,    ///< it was not confirmed in time, or before a reboot: it has to be taken back
  kTakenBack,  ///< it was, as the history says, by one that was cut off before the journal was gone
};

/// Of whichever node: a machine is one. Empty: there is none.
/// Errors: as read_journal.
Result<std::optional<Journal>> find_open_journal(Files& files);

/// A history that cannot be read says nothing.
Standing standing_of(Files& files, const Journal& journal, const Moment& now,
                     const std::string& boot);

/// Nobody is to decide about it any more: it is taken back as soon as it is seen.
bool has_to_go(Standing standing);
/// What the history then says of it.
Generation::Outcome outcome_of_taking_back(Standing standing);

/// Undoes it, and what was cut off before it, as the file of the journal has the node, and has the
/// history say so: `outcome`, or that it is incomplete. Errors: kInvalid when that file cannot be
/// read any more.
Result<Report> take_back(Host& host, const Journal& journal, const Watcher& watcher,
                         Generation::Outcome outcome = Generation::Outcome::kTakenBack);

/// Notes in the history what became of it, also where its apply died before it could say that it
/// was: a file that was taken back has to be known as such.
Result<> note_outcome(Files& files, const Journal& journal, Generation::Outcome outcome);

/// "an apply of 2026-01-31T09:30:00Z by root (1769851800000-4711)".
std::string describe(const Journal& journal);

}  // namespace spark
