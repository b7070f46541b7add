#include "daemon/export/metric_families.hpp"

#include "base/text.hpp"
#include "daemon/export/metrics.hpp"

namespace spark::daemon {

std::vector<MetricFamily> metric_families() {
  NodeState state;
  // What a node may lack as a whole; every other family is written for each node.
  state.source.emplace();
  state.hardware.facts.emplace();
  std::vector<MetricFamily> families;
  const auto text = metrics_text(state, Moment{});
  for (const auto line : lines_of(text)) {
    constexpr std::string_view kHelp = "# HELP ";
    constexpr std::string_view kType = "# TYPE ";
    const auto blank = line.find(' ', kHelp.size());
    if (line.starts_with(kHelp)) {
      families.push_back({.name = std::string(line.substr(kHelp.size(), blank - kHelp.size())),
                          .type = {},
                          .help = std::string(line.substr(blank + 1))});
    } else if (line.starts_with(kType)) {
      families.back().type = line.substr(blank + 1);
    }
  }
  return families;
}

}  // namespace spark::daemon
