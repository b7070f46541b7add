#pragma once
// event_text: what `events` prints: a line for each event, and two for a series of several.

#include <span>
#include <string>

#include "cli/terminal.hpp"
#include "state/event_log.hpp"

namespace spark::cli {

/// `events` in the order of time. A series is what one cause brings about, each within ten
/// seconds of the one before: a cable that is plugged in again has links set up, GIDs moved and the
/// verdict changed. Its first line has what is wrong, and the remedy. `each`: every event for
/// itself.
std::string events_text(std::span<const state::Event> events, bool each, const Terminal& terminal);

}  // namespace spark::cli
