#pragma once
// init_by_discovery: `init --discover`, which writes the file of the whole cluster and offers it to
// the nodes that run `join`.

#include "cli/command.hpp"

namespace spark::cli {

/// kDone: all nodes have taken the file; kRefused: a person said no, here or there; kWaiting: ten
/// minutes have passed.
ExitCode init_by_discovery(const Command& command);

}  // namespace spark::cli
