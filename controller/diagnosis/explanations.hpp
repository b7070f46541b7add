#pragma once
// Explanations: which problem makes which other one no news. One table for every screen.

#include <bitset>
#include <cstddef>
#include <span>
#include <vector>

#include "diagnosis/problem.hpp"
#include "diagnosis/wiring.hpp"

namespace spark::diagnosis {

/// The table, over what was found. Both outlive it.
class Explanations {
 public:
  Explanations(std::span<const Problem> problems, const Wiring& wiring);

  /// By any row, of two problems by their places. Of one problem: false.
  [[nodiscard]] bool explains(std::size_t cause, std::size_t effect) const;

 private:
  using Rows = std::bitset<64>;
  /// The rows that a problem fits, whatever the other one is: looked up once, not once a pair.
  struct Sides {
    Rows as_cause;
    Rows as_effect;
  };
  static Sides sides_of(const Problem& problem);

  std::span<const Problem> problems_;
  const Wiring& wiring_;
  std::vector<Sides> sides_;
};

}  // namespace spark::diagnosis
