#pragma once
// metrics: what the daemon knows of its node, for Prometheus.

#include <cstddef>
#include <string>

#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

/// One scrape in Prometheus's text format, for /metrics and for the file of node_exporter's
/// textfile collector. Never more than kMostSeries, whatever the node is like.
std::string metrics_text(const NodeState& state, const Moment& now);

constexpr std::size_t kMostSeries = 420;

}  // namespace spark::daemon
