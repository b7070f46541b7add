#pragma once
// source_text: what is to be said of the followed repository, for status, the page and the log.

#include <string>
#include <vector>

#include "node_state/node_state.hpp"

namespace spark::node_state {

/// "3f9a1c02b4d6 'mtu 9000' (signed by alice@lab)"; empty: nothing was accepted yet.
std::string commit_text(const SourceState& source);

/// Sentences, the most important first: what is followed, how far it has come, what is wrong.
/// `in_force`: digest of the file in force. `has_commit`: what is followed is shown elsewhere.
std::vector<std::string> source_lines(const SourceState& source, const std::string& in_force,
                                      bool has_commit = false);

}  // namespace spark::node_state
