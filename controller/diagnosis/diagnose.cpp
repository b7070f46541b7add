#include "diagnosis/diagnose.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "diagnosis/explanations.hpp"
#include "diagnosis/kinds.hpp"

namespace spark::diagnosis {
namespace {

using Index = std::size_t;

/// What tells one from another.
auto value_of(const Problem& problem) {
  const auto& found = problem.found;
  return std::tuple<Rank, std::string_view, std::string_view, std::string_view, std::string_view,
                    std::string_view, std::string_view>(rank_of(problem), problem.node, found.link,
                                                        found.id, found.name, found.subject,
                                                        found.measured);
}

/// Of each problem the one that explains it.
class Causes {
 public:
  Causes(const std::vector<Problem>& problems, const Wiring& wiring)
      : explanations_(problems, wiring),
        order_(problems.size()),
        explained_(problems.size()),
        cause_(problems.size()) {
    std::iota(order_.begin(), order_.end(), Index{0});
    // So that of two causes the same one is taken, in whatever order they were found.
    std::ranges::stable_sort(order_, [&](Index one, Index other) {
      return value_of(problems[one]) < value_of(problems[other]);
    });
    for (const auto i : order_) explained_[i] = is_explained(i);
    for (const auto effect : order_) {
      if (explained_[effect]) cause_[effect] = cause_of(effect);
    }
  }

  [[nodiscard]] Index root_of(Index problem) const {
    while (cause_[problem]) problem = *cause_[problem];
    return problem;
  }

 private:
  [[nodiscard]] bool is_explained(Index problem) const {
    return std::ranges::any_of(order_,
                               [&](Index other) { return explanations_.explains(other, problem); });
  }

  /// One that nothing else explains, before one that follows itself.
  [[nodiscard]] std::optional<Index> cause_of(Index effect) const {
    std::optional<Index> found;
    for (const auto cause : order_) {
      if (!explanations_.explains(cause, effect)) continue;
      if (root_of(cause) == effect) continue;  // it would explain itself
      if (!explained_[cause]) return cause;
      if (!found) found = cause;
    }
    return found;
  }

  Explanations explanations_;
  std::vector<Index> order_;
  std::vector<bool> explained_;
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

Diagnosis diagnose(std::vector<Problem> found, const Wiring& wiring) {
  std::ranges::stable_sort(found, {}, rank_of);
  const Causes causes(found, wiring);
  Diagnosis diagnosis;
  std::vector<Index> place(found.size());  // in the roots, of a problem that is in one
  for (Index i = 0; i < found.size(); ++i) {
    if (causes.root_of(i) != i) continue;
    const auto same = std::ranges::find_if(
        diagnosis.roots, [&](const Root& root) { return is_again(found[i], root.problem); });
    place[i] = static_cast<Index>(same - diagnosis.roots.begin());
    if (same == diagnosis.roots.end()) {
      diagnosis.roots.push_back({.problem = std::move(found[i]), .again = {}, .effects = {}});
    } else {
      same->again.push_back(std::move(found[i]));
    }
  }
  for (Index i = 0; i < found.size(); ++i) {
    const auto root = causes.root_of(i);
    if (root != i) diagnosis.roots[place[root]].effects.push_back(std::move(found[i]));
  }
  return diagnosis;
}

}  // namespace spark::diagnosis
