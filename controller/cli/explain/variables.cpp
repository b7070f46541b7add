#include <algorithm>

#include "base/text.hpp"
#include "cli/explain/vocabularies.hpp"
#include "config/yaml/job_variables.hpp"

namespace spark::cli {

std::vector<std::string> variable_words() {
  std::vector<std::string> words;
  for (const auto& variable : config::job_variables()) words.emplace_back(variable.name);
  return words;
}

std::optional<Explanation> explain_variable(std::string_view word) {
  const auto all = config::job_variables();
  const auto found = std::ranges::find(
      all, ascii_lower(word),
      [](const config::JobVariable& variable) { return ascii_lower(variable.name); });
  if (found == all.end()) return std::nullopt;
  Explanation explanation{.kind = WordKind::kVariable,
                          .word = std::string(found->name),
                          .title = "a variable of jobs",
                          .parts = {},
                          .page = "docs/reference/variables.md"};
  add_part(explanation, "Means", std::string(found->note));
  add_part(explanation, "Takes", config::values_of(*found));
  add_part(explanation, "Example", config::example_of(*found));
  return explanation;
}

}  // namespace spark::cli
