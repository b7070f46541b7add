#pragma once
// The one screen of `status`: the node's cages, rails and cables as they are, and as they should
// be.

#include <string>

#include "cli/command.hpp"
#include "cli/situation.hpp"

namespace spark {

std::string status_text(Situation& situation, const Command& command);

}  // namespace spark
