#include "daemon/alerts/common/alert.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spark::daemon {
namespace {

constexpr std::array<std::string_view, 2> kLabelsOfTheNode{"node", "cluster"};

}  // namespace

std::string_view label_of(const Alert& alert, const std::string& name) {
  const auto found = alert.labels.find(name);
  return found == alert.labels.end() ? std::string_view{} : std::string_view(found->second);
}

bool file_is_newer(const Alert& alert, const NodeState& state) {
  return !state.file.digest.empty() && state.file.since.boot > alert.since.boot;
}

std::string fingerprint(const Alert& alert) {
  std::string text = alert.name;
  for (const auto& [name, value] : alert.labels) {
    if (std::ranges::find(kLabelsOfTheNode, name) != kLabelsOfTheNode.end()) continue;
    // A length before each value: no two sets of labels give one text.
    text += fmt::format(" {}={}:{}", name, value.size(), value);
  }
  return text;
}

bool concerns(const Alert& alert, std::string_view sink) {
  const auto label = alert.labels.find("sink");
  return label != alert.labels.end() && label->second == sink;
}

std::string_view name_of(AlertSeverity severity) {
  return kAlertSeverities.at(static_cast<std::size_t>(severity));
}

}  // namespace spark::daemon
