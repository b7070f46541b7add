#pragma once
// What nodes recorded around a time, and whether it was the network: `events --at TIME`.

#include <string>

#include "cli/command.hpp"

namespace spark::cli {

/// `time`: as asked_time takes it. `all`: the nodes at the other ends of this node's cables are
/// asked too.
ExitCode show_events_at(const Command& command, const std::string& time, bool all);

}  // namespace spark::cli
