#include "cluster/problem.hpp"

#include <fmt/format.h>

namespace spark::cluster {

std::string text_of(const Problem& problem) {
  auto text = problem.what;
  if (problem.more > 0) text += fmt::format("; {} more of its rails", problem.more);
  if (!problem.id.empty()) text += fmt::format(" [{}]", problem.id);
  if (problem.follows > 0) {
    text += problem.follows == 1 ? " (and 1 that follows)"
                                 : fmt::format(" (and {} that follow)", problem.follows);
  }
  return text;
}

}  // namespace spark::cluster
