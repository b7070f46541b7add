#pragma once
// The ids of messages, SR-…, but those of alerts: what each means, why, and what to do.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace spark::cli {

/// All that a message can end with, by area and number.
std::vector<std::string> id_words();

/// `word` is an id, in letters of any size, with or without its brackets. Empty: there is none.
std::optional<Explanation> explain_id(std::string_view word);

/// "[sr-gate-016]" as "SR-GATE-016".
std::string id_of(std::string_view word);

}  // namespace spark::cli
