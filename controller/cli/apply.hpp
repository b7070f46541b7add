#pragma once
// What the verbs that change this machine have in common.

#include <string>

#include "cli/command.hpp"
#include "cli/situation.hpp"

namespace spark {

/// Shows the plan, carries it out, and says what came of it. The lock is held, and no journal
/// waits. `takes_back`: as Wish has it.
ExitCode apply_situation(const Command& command, Situation& situation,
                         const std::string& takes_back = {});

}  // namespace spark
