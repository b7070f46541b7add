#include "drawing/ladder.hpp"

#include <algorithm>

namespace spark::drawing {
namespace {

const MapEnd* end_at(const MapSegment& segment, const MapNode& node) {
  const auto found = std::ranges::find(segment.ends, node.name, &MapEnd::node);
  return found == segment.ends.end() ? nullptr : &*found;
}

void stand_in_line(const Figure& figure, Ladder& ladder) {
  for (std::size_t i = 0; i < figure.nodes.size(); ++i) {
    ladder.nodes.push_back({.node = figure.nodes[i], .row = i, .column = 0, .is_wide = true});
  }
  ladder.rows = figure.nodes.size();
}

/// The cage of the first node that leads to that node of the ring.
int first_cage_to(const FabricMap& map, const Figure& figure, std::size_t other) {
  for (const auto segment : figure.segments) {
    const auto* here = end_at(map.segments[segment], map.nodes[figure.nodes.front()]);
    const auto* there = end_at(map.segments[segment], map.nodes[other]);
    if (here != nullptr && there != nullptr) return here->cage.value_or(0);
  }
  return 0;
}

void stand_in_ring(const FabricMap& map, const Figure& figure, Ladder& ladder) {
  auto order = figure.nodes;
  // Its left cage leads to the left: fewer lines cross.
  if (first_cage_to(map, figure, order[1]) > first_cage_to(map, figure, order.back())) {
    std::reverse(order.begin() + 1, order.end());
  }
  ladder.columns = 2;
  const std::size_t top = order.size() % 2;
  if (top == 1) ladder.nodes.push_back({.node = order[0], .row = 0, .column = 0, .is_wide = true});
  const auto rows = (order.size() - top) / 2;
  for (std::size_t row = 0; row < rows; ++row) {
    ladder.nodes.push_back({.node = order[top + row], .row = top + row, .column = 0});
    ladder.nodes.push_back({.node = order[order.size() - 1 - row], .row = top + row, .column = 1});
  }
  ladder.rows = top + rows;
}

/// Two nodes of one row are joined below them, but on top of a ring without a top node.
Run run_between(const Ladder& ladder, const LadderNode& from, const LadderNode& to) {
  if (from.row != to.row) return Run::kDown;
  return from.row + 1 == ladder.rows ? Run::kBelow : Run::kAbove;
}

void add_cable(const FabricMap& map, std::size_t segment, Ladder& ladder) {
  LadderCable cable{.segment = segment};
  std::size_t found = 0;
  for (std::size_t i = 0; i < ladder.nodes.size(); ++i) {
    const auto* end = end_at(map.segments[segment], map.nodes[ladder.nodes[i].node]);
    if (end == nullptr) continue;
    (found == 0 ? cable.from : cable.to) = i;
    (found == 0 ? cable.from_end : cable.to_end) = end;
    ++found;
  }
  if (found != 2) return;
  cable.run = run_between(ladder, ladder.nodes[cable.from], ladder.nodes[cable.to]);
  ladder.cables.push_back(cable);
}

}  // namespace

Ladder ladder_of(const FabricMap& map, const Figure& figure) {
  Ladder ladder;
  if (figure.shape == Shape::kRing) {
    stand_in_ring(map, figure, ladder);
  } else {
    stand_in_line(figure, ladder);
  }
  for (const auto segment : figure.segments) add_cable(map, segment, ladder);
  return ladder;
}

}  // namespace spark::drawing
