#pragma once
// `status -n NODE`: another node of the file, as this one knows it.

#include <optional>
#include <vector>

#include "cli/command.hpp"
#include "cluster/cluster_view.hpp"

namespace spark::cli {

struct StatusArguments {
  bool exit_code = false;
  bool watch = false;
  bool brief = false;
  bool here = false;
};

/// Shows the node of -n by what was told here; nobody is asked. `measured`: what `bench` measured
/// to each peer. Empty, and nothing is shown: no other node is asked for (-n is this node, it is
/// not known which node this one is, or --here or --facts say that -n is the machine looked at).
std::optional<ExitCode> show_other_node(const Command& command,
                                        const std::vector<cluster::Measured>& measured);

}  // namespace spark::cli
