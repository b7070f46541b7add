#pragma once
// put_labels: what stands beside a cable or in a switch of an SVG document.

#include <string>
#include <vector>

#include "drawing/fabric_map.hpp"
#include "drawing/svg_canvas.hpp"

namespace spark::drawing {

struct SvgLabel {
  std::string text;
  Face face = Face::kAddress;
  Mark mark = Mark::kNone;
};

inline constexpr int kLabelHeight = 17;

/// A line for each rail with its subnet, and one with MTU and speed where they stand nowhere else.
std::vector<SvgLabel> labels_of(const MapSegment& segment, const CommonTraits& common);

/// Below each other, the first at `at`.
void put_labels(SvgCanvas& canvas, const std::vector<SvgLabel>& labels, Point at, Anchor anchor);

}  // namespace spark::drawing
