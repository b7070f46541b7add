#pragma once
// page_attention: the first sentence of the page, and what needs attention, each fault once.

#include <string>

#include "base/moment.hpp"
#include "node_state/node_summary.hpp"

namespace spark::helpers {

/// The node in one sentence, what to do about the fault that the sentence names, and since when.
std::string verdict_html(const node_state::NodeState& state, const node_state::NodeSummary& summary,
                         const Moment& now);

/// One entry for each fault that the sentence does not name; empty where there is none.
std::string attention_html(const node_state::NodeSummary& summary);

}  // namespace spark::helpers
