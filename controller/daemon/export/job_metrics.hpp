#pragma once
// tell_jobs: the metrics of the rails that jobs use.

#include "daemon/export/prometheus_text.hpp"
#include "jobs/followed.hpp"

namespace spark::daemon {

/// At most kMostJobSeries, whatever the node is like. No name of a job is among them.
void tell_jobs(Exposition& out, const jobs::Followed& jobs);

constexpr std::size_t kMostJobSeries = 16;

}  // namespace spark::daemon
