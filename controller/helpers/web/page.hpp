#pragma once
// page: what the daemon knows of its node, for people.

#include <string>
#include <string_view>

#include "base/moment.hpp"
#include "helpers/web/page_nodes.hpp"
#include "node_state/node_state.hpp"

namespace spark::helpers {

inline constexpr int kReloadSeconds = 30;

/// Whether the page is loaded again by itself.
enum class Reload : bool { kNever, kOften };

/// One HTML page, without a script, that loads nothing but /style.css. `cluster` is of the whole
/// cluster; null: nothing is known of other nodes, or there are none.
std::string page_html(const node_state::NodeState& state, const Moment& now,
                      const ShownCluster* cluster = nullptr, Reload reload = Reload::kOften);

/// The same while nothing is known of the node, and `why`.
std::string page_without_state(std::string_view why);

/// The text of /style.css.
std::string_view style_css();

}  // namespace spark::helpers
