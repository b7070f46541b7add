#pragma once
// Explanations: which problem makes which other one no news. One table for every screen.

#include <optional>
#include <span>
#include <string_view>

#include "diagnosis/kinds.hpp"
#include "diagnosis/problem.hpp"
#include "diagnosis/wiring.hpp"
#include "protocol/detail.hpp"
#include "protocol/verdict.hpp"

namespace spark::diagnosis {

/// What a relation between two problems can look at beside them.
struct Scene {
  std::span<const Problem> problems;
  const Wiring& wiring;
};

using Relation = bool (*)(const Problem& cause, const Problem& effect, const Scene& scene);

/// What is left out may be anything.
struct Pattern {
  std::optional<Rank> rank;
  std::string_view id;
  std::string_view name;
  std::optional<protocol::Detail> detail;
  std::optional<protocol::Verdict> verdict;

  [[nodiscard]] bool matches(const Problem& problem) const;
};

struct Explanation {
  Pattern cause;
  Pattern effect;
  Relation relation = nullptr;
};

std::span<const Explanation> explanations();

/// By any row.
bool explains(const Problem& cause, const Problem& effect, const Scene& scene);

}  // namespace spark::diagnosis
