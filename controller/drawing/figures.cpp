#include "drawing/figures.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace spark::drawing {
namespace {

constexpr std::size_t kSmallestRing = 3;

/// Which nodes the ends of each segment are, by their places in the map.
class Graph {
 public:
  explicit Graph(const FabricMap& map)
      : map_(map), joined_(map.nodes.size()), nodes_of_(map.segments.size()) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < map.nodes.size(); ++i) places.emplace(map.nodes[i].name, i);
    for (std::size_t segment = 0; segment < map.segments.size(); ++segment) {
      std::set<std::size_t> nodes;
      for (const auto& end : map.segments[segment].ends) {
        if (const auto found = places.find(end.node); found != places.end()) {
          nodes.insert(found->second);
        }
      }
      for (const auto node : nodes) joined_[node].push_back(segment);
      nodes_of_[segment].assign(nodes.begin(), nodes.end());
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& nodes_of(std::size_t segment) const {
    return nodes_of_[segment];
  }
  [[nodiscard]] const std::vector<std::size_t>& segments_of(std::size_t node) const {
    return joined_[node];
  }

  /// The nodes that hang together with this one, and what joins them.
  [[nodiscard]] Figure island_of(std::size_t node) const {
    std::set<std::size_t> nodes{node};
    std::set<std::size_t> segments;
    for (std::vector<std::size_t> open{node}; !open.empty();) {
      const auto here = open.back();
      open.pop_back();
      for (const auto segment : segments_of(here)) {
        if (!segments.insert(segment).second) continue;
        for (const auto other : nodes_of(segment)) {
          if (nodes.insert(other).second) open.push_back(other);
        }
      }
    }
    return {.shape = Shape::kAlone,
            .nodes = {nodes.begin(), nodes.end()},
            .segments = {segments.begin(), segments.end()}};
  }

  /// Those that one cable leads to.
  [[nodiscard]] std::set<std::size_t> neighbours_of(std::size_t node) const {
    std::set<std::size_t> nodes;
    for (const auto segment : segments_of(node)) {
      nodes.insert(nodes_of(segment).begin(), nodes_of(segment).end());
    }
    nodes.erase(node);
    return nodes;
  }

  [[nodiscard]] bool is_switch(std::size_t segment) const {
    return map_.segments[segment].is_switch();
  }

 private:
  const FabricMap& map_;
  std::vector<std::vector<std::size_t>> joined_;
  std::vector<std::vector<std::size_t>> nodes_of_;  ///< by segment
};

/// From the first node on to its first neighbour, and so on.
std::vector<std::size_t> along_cables(const Graph& graph, std::size_t first) {
  std::vector<std::size_t> order;
  std::set<std::size_t> seen;
  for (std::optional<std::size_t> next = first; next;) {
    order.push_back(*next);
    seen.insert(*next);
    const auto neighbours = graph.neighbours_of(*next);
    const auto unseen = std::ranges::find_if(
        neighbours, [&](const auto neighbour) { return !seen.contains(neighbour); });
    next = unseen == neighbours.end() ? std::nullopt : std::optional(*unseen);
  }
  return order;
}

/// Cables alone, none of which begins and ends at one node.
bool has_cables_alone(const Graph& graph, const Figure& island) {
  return std::ranges::all_of(island.segments, [&](const auto segment) {
    return !graph.is_switch(segment) && graph.nodes_of(segment).size() == 2;
  });
}

/// The island in one of the shapes. Empty: it has none of them.
std::optional<Figure> in_shape(const Graph& graph, Figure island) {
  if (island.segments.empty()) return island;
  if (island.segments.size() == 1 && graph.is_switch(island.segments.front())) {
    island.shape = Shape::kStar;
    return island;
  }
  if (!has_cables_alone(graph, island)) return {};
  std::size_t ends = 0;  // of lines: nodes with one neighbour
  std::optional<std::size_t> first;
  for (const auto node : island.nodes) {
    const auto neighbours = graph.neighbours_of(node).size();
    if (neighbours > 2) return {};
    if (neighbours == 1) {
      ++ends;
      if (!first) first = node;
    }
  }
  if (ends == 0 &&
      (island.nodes.size() < kSmallestRing || island.segments.size() != island.nodes.size())) {
    return {};
  }
  island.shape = ends == 0 ? Shape::kRing : Shape::kLine;
  island.nodes = along_cables(graph, first.value_or(island.nodes.front()));
  return island;
}

Figure of_one_segment(const Graph& graph, std::size_t segment) {
  return {.shape = graph.is_switch(segment) ? Shape::kStar : Shape::kLine,
          .nodes = graph.nodes_of(segment),
          .segments = {segment}};
}

}  // namespace

std::vector<Figure> figures_of(const FabricMap& map) {
  const Graph graph(map);
  std::vector<Figure> figures;
  std::set<std::size_t> seen;
  for (std::size_t node = 0; node < map.nodes.size(); ++node) {
    if (seen.contains(node)) continue;
    auto island = graph.island_of(node);
    seen.insert(island.nodes.begin(), island.nodes.end());
    if (auto figure = in_shape(graph, island)) {
      figures.push_back(*std::move(figure));
      continue;
    }
    for (const auto segment : island.segments) figures.push_back(of_one_segment(graph, segment));
  }
  // A node without a cable has little to show.
  std::ranges::stable_partition(figures,
                                [](const Figure& figure) { return figure.shape != Shape::kAlone; });
  return figures;
}

}  // namespace spark::drawing
