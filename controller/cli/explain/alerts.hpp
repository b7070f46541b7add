#pragma once
// The alerts, by id or name: what each means, when it ends, and what to do.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace spark::cli {

/// Their names, then their ids.
std::vector<std::string> alert_words();
/// How many there are.
std::size_t alert_count();

/// `word` is the id or the name, in letters of any size. Empty: there is none.
std::optional<Explanation> explain_alert(std::string_view word);

}  // namespace spark::cli
