#pragma once
// metric_families: every metric that the daemon can write, with its type and help.

#include <string>
#include <vector>

namespace spark::daemon {

struct MetricFamily {
  std::string name;  ///< with the prefix
  std::string type;  ///< "gauge", "counter"
  std::string help;
};

/// In the order of /metrics. They are those of `metrics_text` for a node that has all there is to
/// report, so no second list exists.
std::vector<MetricFamily> metric_families();

}  // namespace spark::daemon
