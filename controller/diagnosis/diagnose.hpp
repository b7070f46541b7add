#pragma once
// diagnose: of all that was found, what has to be fixed, and what goes with it.

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

  /// The root of which it is an effect, or which it is. Null: it was not found.
  [[nodiscard]] const Root* root_of(const Problem& problem) const;
};

/// Each problem is in exactly one root, whatever their order. Without wires (`Wiring{}`) only what
/// one node knows of itself explains anything.
Diagnosis diagnose(std::vector<Problem> found, const Wiring& wiring);

}  // namespace spark::diagnosis
