#pragma once
// The variables of jobs that a file may set: what each takes and sets, an example.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace spark::cli {

/// "NCCL_IB_HCA", …
std::vector<std::string> variable_words();

/// `word` is a name, in letters of any size. Empty: there is none.
std::optional<Explanation> explain_variable(std::string_view word);

}  // namespace spark::cli
