#pragma once
// Confirmed applies: the timer that rolls an apply back unless somebody confirms it, and the texts
// about it. The timer is systemd's, so that it outlives this process and its terminal.

#include <chrono>
#include <expected>
#include <string>

#include "cli/command.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"

namespace spark::cli {

/// Has systemd roll the journal back when its time is over. Errors: kUnsupported where systemd does
/// not start the timer; then nothing may be changed.
Result<> arm(const Command& command, const state::Journal& journal);

/// Stops the timer of arm(). A timer that cannot be stopped finds no journal later, and does
/// nothing.
void disarm(host::Host& host, const std::string& journal_id);

/// Rolls the journal back, reports that, and notes in the history what became of the apply.
ExitCode roll_back_and_report(const Command& command, const state::Journal& open,
                              state::Generation::Outcome outcome);

/// Why another apply is refused, and the two ways out.
std::string still_pending(const state::Journal& journal, const Moment& now,
                          const std::string& boot);
/// What to do after an apply that waits for its confirmation, and by when.
std::string how_to_confirm(std::chrono::milliseconds left, const Terminal& terminal);

/// What to print beside an outcome that could not be recorded in the history.
std::string not_in_history(const Error& error);

/// Takes the lock of the process that changes this machine. The error is the exit code, also where
/// another process holds the lock.
std::expected<host::FileLock, ExitCode> take_lock(const Command& command);

}  // namespace spark::cli
