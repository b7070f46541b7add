#pragma once
// page: what the daemon knows of its node, for people.

#include <string>
#include <string_view>

#include "daemon/common/node_state.hpp"

namespace spark::helpers {

/// One HTML page, without a script, that loads nothing but /style.css and itself again.
std::string page_html(const daemon::NodeState& state, const Moment& now);

/// The same while nothing is known of the node, and `why`.
std::string page_without_state(std::string_view why);

/// The text of /style.css.
std::string_view style_css();

}  // namespace spark::helpers
