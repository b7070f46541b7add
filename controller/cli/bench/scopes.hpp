#pragma once
// Scope: some rails of a measurement that were used at once, and the words for them.

#include <string>
#include <string_view>
#include <vector>

#include "state/bench_results.hpp"

namespace spark::cli {

inline constexpr double kBitsOfGigabit = 1e9;

/// One column of what `bench` shows.
struct BenchColumn {
  std::string_view operation;  ///< as in a figure: "write"
  std::string_view direction;  ///< "to"
  std::string_view title;      ///< "WRITE to"
};

/// In the order in which people read them.
const std::vector<BenchColumn>& bench_columns();

/// Each rail alone, or all of them at once.
struct BenchScope {
  std::string name;                        ///< "rail 0", "cage 1 rail 0", "both rails"
  std::vector<std::string> links;          ///< ours, in the order of the rails
  const state::BenchRail* rail = nullptr;  ///< null: all of them; it lives as long as the result
};

/// Each rail, then, where there are several, all of them.
std::vector<BenchScope> bench_scopes(const state::BenchResult& result);

/// All links of the result, in the order of its rails.
std::vector<std::string> bench_links(const state::BenchResult& result);

/// More than one cage was used.
bool uses_two_cables(const state::BenchResult& result);

/// Null: nobody asked for it, or it was not reached.
const state::BenchFigure* find_figure(const state::BenchResult& result,
                                      const std::vector<std::string>& links,
                                      std::string_view operation, std::string_view direction);

/// Bits a second; 0: it was not measured.
double bits_of(const state::BenchFigure* figure);

/// "rail 1 READ from", "both rails in both directions".
std::string figure_name(const state::BenchResult& result, const state::BenchFigure& figure);

/// What the numbers of two results can be compared over: the same peer, the same links and as many
/// queue pairs, and no job beside either.
bool are_comparable(const state::BenchResult& one, const state::BenchResult& other);

}  // namespace spark::cli
