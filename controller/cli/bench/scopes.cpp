#include "cli/bench/scopes.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spark::cli {
namespace {

std::string name_of_rail(const state::BenchResult& result, const state::BenchRail& rail) {
  return uses_two_cables(result) ? fmt::format("cage {} rail {}", rail.cage, rail.rail)
                                 : fmt::format("rail {}", rail.rail);
}

std::string name_of_all(std::size_t rails) {
  return rails == 2 ? "both rails" : fmt::format("all {} rails", rails);
}

}  // namespace

const std::vector<BenchColumn>& bench_columns() {
  static const std::vector<BenchColumn> kColumns{{"write", "to", "WRITE to"},
                                                 {"write", "from", "WRITE from"},
                                                 {"read", "to", "READ to"},
                                                 {"read", "from", "READ from"}};
  return kColumns;
}

std::vector<BenchScope> bench_scopes(const state::BenchResult& result) {
  std::vector<BenchScope> scopes;
  scopes.reserve(result.rails.size() + 1);
  for (const auto& rail : result.rails) {
    scopes.push_back({name_of_rail(result, rail), {rail.link}, &rail});
  }
  if (scopes.size() > 1) {
    scopes.push_back({name_of_all(result.rails.size()), bench_links(result), nullptr});
  }
  return scopes;
}

std::vector<std::string> bench_links(const state::BenchResult& result) {
  std::vector<std::string> links;
  links.reserve(result.rails.size());
  for (const auto& rail : result.rails) links.push_back(rail.link);
  return links;
}

bool uses_two_cables(const state::BenchResult& result) {
  return std::ranges::any_of(result.rails, [&result](const state::BenchRail& rail) {
    return rail.cage != result.rails.front().cage;
  });
}

const state::BenchFigure* find_figure(const state::BenchResult& result,
                                      const std::vector<std::string>& links,
                                      std::string_view operation, std::string_view direction) {
  const auto found = std::ranges::find_if(result.figures, [&](const state::BenchFigure& figure) {
    return figure.operation == operation && figure.direction == direction && figure.links == links;
  });
  return found == result.figures.end() ? nullptr : &*found;
}

double bits_of(const state::BenchFigure* figure) {
  return figure != nullptr && figure->failed.empty() ? figure->bits_per_second : 0;
}

std::string figure_name(const state::BenchResult& result, const state::BenchFigure& figure) {
  std::string scope = "other rails";
  for (const auto& each : bench_scopes(result)) {
    if (each.links == figure.links) scope = each.name;
  }
  for (const auto& column : bench_columns()) {
    if (column.operation == figure.operation && column.direction == figure.direction) {
      return fmt::format("{} {}", scope, column.title);
    }
  }
  return scope + " in both directions";
}

bool are_comparable(const state::BenchResult& one, const state::BenchResult& other) {
  return one.peer == other.peer && one.queue_pairs == other.queue_pairs && one.jobs.empty() &&
         other.jobs.empty() && bench_links(one) == bench_links(other);
}

}  // namespace spark::cli
