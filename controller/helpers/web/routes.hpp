#pragma once
// site: what each path of spark-web shows.

#include <string_view>

#include "base/moment.hpp"
#include "helpers/web/page_nodes.hpp"
#include "helpers/web/response.hpp"
#include "node_state/node_state.hpp"

namespace spark::helpers {

/// The paths of the page: one that is loaded again and again, and one that is not.
constexpr bool is_page(std::string_view path) { return path == "/" || path == "/still"; }

/// The answer to GET `path`, which has no query: the page, /style.css, /status.json, /metrics,
/// /healthz (200: the daemon answers), /readyz (200: the node is ready, else 503 and why), or 404.
/// Only a page needs `cluster`; null: nothing is known of other nodes.
Response site(std::string_view path, const node_state::NodeState& state, const Moment& now,
              const ShownCluster* cluster = nullptr);

/// The same while nothing is known of the node: 503 and `why`, but for the style and for what is
/// not found.
Response site_without_state(std::string_view path, std::string_view why);

}  // namespace spark::helpers
