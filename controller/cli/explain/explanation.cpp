#include "cli/explain/explanation.hpp"

#include <array>
#include <utility>

namespace spark::cli {

std::string_view name_of(WordKind kind) {
  // In the order of the enumerators.
  constexpr std::array<std::string_view, 7> kNames{"id",       "alert", "key",     "metric",
                                                   "variable", "term",  "resource"};
  return kNames.at(static_cast<std::size_t>(kind));
}

void add_part(Explanation& explanation, std::string label, std::string text) {
  if (!text.empty()) explanation.parts.push_back({std::move(label), std::move(text)});
}

}  // namespace spark::cli
