#pragma once
// Finding: one line of `doctor`. Check: what finds them.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace spark::cli {

struct Finding {
  std::string name;  ///< "journal"; nine letters at most
  bool good = true;
  std::string what;
  std::string remedy;  ///< a command, or what to do; empty where it is good
};
using Findings = std::vector<Finding>;

/// Looks at one thing, and changes nothing: it takes no lock, writes no file and waits for no
/// network. It claims nothing that it cannot see. Empty: there is nothing to say.
using Check = Findings (*)(const Command& command);

}  // namespace spark::cli
