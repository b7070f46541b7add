#pragma once
// metrics: what the daemon knows of its node, for Prometheus.

#include <cstddef>
#include <string>

#include "daemon/common/node_state.hpp"

namespace spark {

/// One scrape in Prometheus's text format: what /metrics serves, and the file for node_exporter's
/// textfile collector holds. Never more than kMostSeries, whatever the node is like.
std::string metrics_text(const NodeState& state, const Moment& now);

constexpr std::size_t kMostSeries = 200;

}  // namespace spark
