#include "daemon/alerts/common/found_alerts.hpp"

#include <utility>

namespace spark::daemon {

Alert& FoundAlerts::add(std::map<std::string, std::string> labels, std::string summary,
                        const Moment& since) {
  if (!state_.node.empty()) labels.emplace("node", state_.node);
  if (!state_.cluster.empty()) labels.emplace("cluster", state_.cluster);
  auto& alert = alerts_.emplace_back(Alert{.name = std::string(rule_.name),
                                           .id = std::string(rule_.id),
                                           .severity = rule_.severity,
                                           .labels = std::move(labels),
                                           .summary = std::move(summary),
                                           .remedy = std::string(rule_.remedy),
                                           .since = since});
  if (rule_.lasts.count() > 0) alert.until = later(since, rule_.lasts);
  return alert;
}

}  // namespace spark::daemon
