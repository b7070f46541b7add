#pragma once
// The metrics of the daemon: type and help, as /metrics has them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace spark::cli {

std::vector<std::string> metric_words();

/// `word` is a name, with or without "spark_reconcile_". Empty: there is none.
std::optional<Explanation> explain_metric(std::string_view word);

}  // namespace spark::cli
