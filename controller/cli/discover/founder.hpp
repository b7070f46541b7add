#pragma once
// init_by_discovery: `init --discover`, which writes the file of the whole cluster and offers it to
// the nodes that run `join`.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.hpp"

namespace spark::cli {

/// What the command line says of it.
struct Founding {
  std::string out;                     ///< path of the file; empty: the usual one
  std::optional<std::uint64_t> nodes;  ///< how many have to be there, this one included
};

/// kDone: all nodes have taken the file; kRefused: a person said no, here or there; kWaiting: ten
/// minutes have passed.
ExitCode init_by_discovery(const Command& command, Founding founding);

}  // namespace spark::cli
