#include <algorithm>
#include <utility>

#include "cli/explain/vocabularies.hpp"
#include "daemon/export/metric_families.hpp"
#include "daemon/export/prometheus_text.hpp"

namespace spark::cli {

std::vector<std::string> metric_words() {
  std::vector<std::string> words;
  for (auto& family : daemon::metric_families()) words.push_back(std::move(family.name));
  return words;
}

std::optional<Explanation> explain_metric(std::string_view word) {
  const auto families = daemon::metric_families();
  const auto found = std::ranges::find_if(families, [&](const daemon::MetricFamily& family) {
    return family.name == word || family.name == std::string(daemon::kMetricPrefix).append(word);
  });
  if (found == families.end()) return std::nullopt;
  Explanation explanation{.kind = WordKind::kMetric,
                          .word = found->name,
                          .title = found->type,
                          .parts = {},
                          .page = "docs/monitoring/README.md#prometheus"};
  add_part(explanation, "Means", found->help);
  return explanation;
}

}  // namespace spark::cli
