#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "drawing/map_words.hpp"
#include "drawing/svg_node.hpp"

namespace spark::drawing {

std::vector<SvgLabel> labels_of(const MapSegment& segment, const CommonTraits& common) {
  std::vector<SvgLabel> labels;
  for (std::size_t rail = 0; rail < std::max(segment.subnets.size(), segment.live.size()); ++rail) {
    const auto& live = live_of_rail(segment.live, rail);
    auto text = fmt::format("rail {} {}", rail, of_rail(segment.subnets, rail));
    if (!live.words.empty()) text += " · " + live.words;
    labels.push_back(
        {.text = signed_text(live.mark, text), .face = Face::kAddress, .mark = live.mark});
  }
  if (const auto traits = traits_of(segment, common); !traits.empty()) {
    labels.push_back({.text = fmt::format("{}", fmt::join(traits, " · ")),
                      .face = Face::kQuiet,
                      .mark = Mark::kNone});
  }
  return labels;
}

void put_labels(SvgCanvas& canvas, const std::vector<SvgLabel>& labels, Point at, Anchor anchor) {
  for (const auto& label : labels) {
    canvas.text(at, label.text, label.face, anchor, label.mark);
    at.y += kLabelHeight;
  }
}

}  // namespace spark::drawing
