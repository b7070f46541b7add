#include "cluster/problem.hpp"

#include <fmt/format.h>

namespace spark::cluster {

std::string text_of(const Problem& problem) {
  return problem.id.empty() ? problem.what : fmt::format("{} [{}]", problem.what, problem.id);
}

std::string text_with_effects(const Problem& problem) {
  auto shown = problem;
  if (!shown.more.empty()) shown.what += fmt::format("; {} more of its rails", shown.more.size());
  auto text = text_of(shown);
  if (problem.follows > 0) {
    text += problem.follows == 1 ? " (and 1 that follows)"
                                 : fmt::format(" (and {} that follow)", problem.follows);
  }
  return text;
}

}  // namespace spark::cluster
