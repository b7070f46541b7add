#pragma once
// page_sections: the sections of the page below its verdict, each a function of what it shows.

#include <string>
#include <string_view>

#include "node_state/node_state.hpp"

namespace spark::helpers {

/// How a verdict looks. Its word is always shown beside its colour and sign.
struct VerdictStyle {
  std::string_view tone;  ///< a class of style_css()
  std::string_view sign;
};
VerdictStyle look_of(gate::Verdict verdict);

/// Long, and seldom needed: closed until somebody opens it. Beside the title stands what of it fits
/// on one line. `content` is HTML, the others are texts.
std::string folded(std::string_view title, std::string_view beside, std::string_view content);

/// Each returns one section of the page; where there is nothing to show, an empty text, or a
/// sentence that says so. All but the fabric are folded: what of them needs attention stands above.
std::string fabric_html(const node_state::NodeState& state);
std::string routes_html(const node_state::NodeState& state);
/// Which rails jobs use, without any name of a job.
std::string jobs_html(const node_state::NodeState& state, const Moment& now);
std::string gate_html(const node_state::NodeState& state, const Moment& now);
std::string skipped_html(const node_state::NodeState& state);
std::string changes_html(const node_state::NodeState& state, const Moment& now);
std::string gid_moves_html(const node_state::NodeState& state, const Moment& now);
std::string sinks_html(const node_state::NodeState& state);
std::string file_html(const node_state::NodeState& state, const Moment& now);

}  // namespace spark::helpers
