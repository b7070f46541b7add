#pragma once
// put_labels: what stands beside a cable or in a switch of an SVG document.

#include <string>
#include <vector>

#include "cli/topology/fabric_map.hpp"
#include "cli/topology/svg_canvas.hpp"

namespace spark::cli {

struct SvgLabel {
  std::string text;
  Face face = Face::kAddress;
  Change change = Change::kSame;
};

inline constexpr int kLabelHeight = 17;

/// A line for each rail with its subnet, and one with MTU and speed where they stand nowhere else.
std::vector<SvgLabel> labels_of(const MapSegment& segment, const CommonTraits& common);

/// Below each other, the first at `at`.
void put_labels(SvgCanvas& canvas, const std::vector<SvgLabel>& labels, Point at, Anchor anchor);

}  // namespace spark::cli
