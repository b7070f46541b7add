#pragma once
// Confirmed applies: the timer that takes an apply back unless somebody confirms it, and what is
// said of it. The timer is systemd's, so that it outlives this process and its terminal.

#include <chrono>
#include <expected>
#include <string>

#include "cli/command.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"

namespace spark {

/// Has systemd take the journal back when its time is over. Errors: kUnsupported where there is no
/// systemd; then nothing may be changed.
Result<> arm(const Command& command, const Journal& journal);

/// Calls that off. What cannot be called off finds no journal later, and does nothing.
void disarm(Host& host, const std::string& journal_id);

/// Takes it back, tells of it, and notes in the history what became of it.
ExitCode take_back_and_tell(const Command& command, const Journal& journal,
                            Generation::Outcome outcome);

/// Why another apply is refused, and the two ways out.
std::string still_pending(const Journal& journal, const Moment& now, const std::string& boot);
/// What to do after an apply that waits for its confirmation, and how long.
std::string how_to_confirm(std::chrono::milliseconds left);

/// The lock of whoever changes this machine; the exit code where somebody else holds it.
std::expected<FileLock, ExitCode> take_lock(const Command& command);

}  // namespace spark
