#include "diagnosis/diagnose.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "diagnosis/explanations.hpp"
#include "diagnosis/kinds.hpp"

namespace spark::diagnosis {
namespace {

using Index = std::size_t;

/// So that of two causes the same one is taken, in whatever order they were found.
auto value_order(const Problem& problem) {
  const auto& found = problem.found;
  return std::tuple(rank_of(problem), problem.node, found.link, found.id, found.name, found.subject,
                    found.measured);
}

/// Of each problem the one that explains it.
class Causes {
 public:
  Causes(const std::vector<Problem>& problems, const Wiring& wiring)
      : problems_(problems),
        scene_{.problems = problems, .wiring = wiring},
        order_(problems.size()),
        cause_(problems.size()) {
    std::iota(order_.begin(), order_.end(), Index{0});
    std::ranges::stable_sort(order_, {}, [&](Index i) { return value_order(problems_[i]); });
    for (const auto effect : order_) cause_[effect] = cause_of(effect);
  }

  [[nodiscard]] Index root_of(Index problem) const {
    while (cause_[problem]) problem = *cause_[problem];
    return problem;
  }

 private:
  [[nodiscard]] bool is_explained(Index problem) const {
    return std::ranges::any_of(order_, [&](Index other) {
      return other != problem && explains(problems_[other], problems_[problem], scene_);
    });
  }

  /// One that nothing else explains, before one that follows itself.
  [[nodiscard]] std::optional<Index> cause_of(Index effect) const {
    std::optional<Index> found;
    for (const auto cause : order_) {
      if (cause == effect || !explains(problems_[cause], problems_[effect], scene_)) continue;
      if (root_of(cause) == effect) continue;  // it would explain itself
      if (!is_explained(cause)) return cause;
      if (!found) found = cause;
    }
    return found;
  }

  const std::vector<Problem>& problems_;
  Scene scene_;
  std::vector<Index> order_;
  std::vector<std::optional<Index>> cause_;
};

/// Of one id, on each rail, or beside the node.
bool is_again(const Problem& problem, const Problem& other) {
  const auto& found = problem.found;
  const auto& before = other.found;
  if (problem.node != other.node || found.id != before.id) return false;
  // Each mount and each target has a remedy of its own.
  if (found.link.empty() && found.subject != before.subject) return false;
  return !found.id.empty() ||
         (found.name == before.name && (!found.link.empty() || rank_of(problem) == Rank::kAside));
}

}  // namespace

const Root* Diagnosis::root_of(const Problem& problem) const {
  const auto holds = [&](const Root& root) {
    return root.problem == problem || std::ranges::find(root.again, problem) != root.again.end() ||
           std::ranges::find(root.effects, problem) != root.effects.end();
  };
  const auto found = std::ranges::find_if(roots, holds);
  return found == roots.end() ? nullptr : &*found;
}

Diagnosis diagnose(std::vector<Problem> found, const Wiring& wiring) {
  std::ranges::stable_sort(found, {}, [](const Problem& problem) { return rank_of(problem); });
  const Causes causes(found, wiring);
  Diagnosis diagnosis;
  std::vector<Index> place(found.size());  // in the roots, of a problem that is in one
  for (Index i = 0; i < found.size(); ++i) {
    if (causes.root_of(i) != i) continue;
    const auto same = std::ranges::find_if(
        diagnosis.roots, [&](const Root& root) { return is_again(found[i], root.problem); });
    place[i] = static_cast<Index>(same - diagnosis.roots.begin());
    if (same == diagnosis.roots.end()) {
      diagnosis.roots.push_back({.problem = found[i], .again = {}, .effects = {}});
    } else {
      same->again.push_back(found[i]);
    }
  }
  for (Index i = 0; i < found.size(); ++i) {
    const auto root = causes.root_of(i);
    if (root != i) diagnosis.roots[place[root]].effects.push_back(found[i]);
  }
  return diagnosis;
}

}  // namespace spark::diagnosis
