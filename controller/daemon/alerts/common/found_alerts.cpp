#include "daemon/alerts/common/found_alerts.hpp"

#include <utility>

namespace spark::daemon {

std::string FoundAlerts::remedy() const {
  if (rule_.problem.empty()) return std::string(rule_.remedy);
  for (const auto& root : diagnosis_.roots) {
    if (root.problem.found.name == rule_.problem) return root.problem.remedy.text;
  }
  return {};
}

Alert& FoundAlerts::add(std::map<std::string, std::string> labels, std::string summary,
                        const Moment& since) {
  if (!state_.node.empty()) labels.emplace("node", state_.node);
  if (!state_.cluster.empty()) labels.emplace("cluster", state_.cluster);
  auto& alert = alerts_.emplace_back(Alert{.name = std::string(rule_.name),
                                           .id = std::string(rule_.id),
                                           .severity = rule_.severity,
                                           .labels = std::move(labels),
                                           .summary = std::move(summary),
                                           .remedy = remedy(),
                                           .since = since});
  if (rule_.lasts.count() > 0) alert.until = later(since, rule_.lasts);
  return alert;
}

}  // namespace spark::daemon
