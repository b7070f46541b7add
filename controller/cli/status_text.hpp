#pragma once
// The one screen of `status`: the node's cages, rails and cables as they are, and as they should
// be.

#include <string>

#include "cli/situation.hpp"
#include "cli/terminal.hpp"

namespace spark {

std::string status_text(Situation& situation, const Terminal& terminal);

}  // namespace spark
