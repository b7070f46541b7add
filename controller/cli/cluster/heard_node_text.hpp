#pragma once
// The screen of one other node, as this one knows it.

#include <string>

#include "cli/terminal.hpp"
#include "cluster/heard_node.hpp"

namespace spark::cli {

/// "spark2 · cluster lab · as spark1 knows it".
std::string heard_node_heading(const cluster::HeardNode& heard, const cluster::ClusterView& view,
                               const Terminal& terminal);

/// One line: how it stands, and since when.
std::string heard_node_verdict(const cluster::HeardNode& heard, const Terminal& terminal);

/// What is wrong with it, when it was heard, its file and version, and its ways to its peers.
std::string heard_node_text(const cluster::HeardNode& heard, const cluster::ClusterView& view,
                            const Terminal& terminal);

/// What to do next: about what is wrong with it, or what explains that.
std::string heard_node_closing(const cluster::HeardNode& heard, const cluster::ClusterView& view,
                               const Terminal& terminal);

}  // namespace spark::cli
