#pragma once
// site: what each path of the daemon's HTTP server shows.

#include <string_view>

#include "daemon/common/node_state.hpp"
#include "daemon/web/response.hpp"

namespace spark::daemon {

/// The answer to GET `path`, which has no query: the page, /style.css, /status.json, /metrics,
/// /healthz (200: the daemon answers), /readyz (200: the node is ready, else 503 and why), or 404.
Response site(std::string_view path, const NodeState& state, const Moment& now);

}  // namespace spark::daemon
