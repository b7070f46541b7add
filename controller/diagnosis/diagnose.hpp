#pragma once
// diagnose: of all that was found, what has to be fixed, and what goes with it.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "diagnosis/problem.hpp"
#include "diagnosis/wiring.hpp"

namespace spark::diagnosis {

/// A problem that no other one explains.
struct Root {
  Problem problem;
  std::vector<Problem> again;    ///< the same on other links or subjects of the node
  std::vector<Problem> effects;  ///< that go when it does
  bool operator==(const Root&) const = default;
};

struct Diagnosis {
  std::vector<Root> roots;  ///< by rank, else in the order in which they were found

  /// The first root that is such a problem, has it again, or explains it. Null: there is none.
  template <class IsMeant>
  [[nodiscard]] const Root* root_where(const IsMeant& is_meant) const {
    const auto found = std::ranges::find_if(roots, [&](const Root& root) {
      return is_meant(root.problem) || std::ranges::any_of(root.again, is_meant) ||
             std::ranges::any_of(root.effects, is_meant);
    });
    return found == roots.end() ? nullptr : &*found;
  }

  /// Of that problem.
  [[nodiscard]] const Root* root_of(const Problem& problem) const {
    return root_where([&](const Problem& other) { return other == problem; });
  }
};

/// Each problem is in exactly one root, whatever their order. Without wires (`Wiring{}`) only what
/// one node knows of itself explains anything.
Diagnosis diagnose(std::vector<Problem> found, const Wiring& wiring);

}  // namespace spark::diagnosis
