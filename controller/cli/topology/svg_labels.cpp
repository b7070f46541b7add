#include "cli/topology/svg_labels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/topology/canvas.hpp"
#include "cli/topology/map_words.hpp"

namespace spark::cli {

std::vector<SvgLabel> labels_of(const MapSegment& segment, const CommonTraits& common) {
  std::vector<SvgLabel> labels;
  const bool is_changed = segment.change == Change::kChanged;
  for (std::size_t rail = 0; rail < segment.subnets.size(); ++rail) {
    const auto& subnet = segment.subnets[rail];
    const auto change = is_changed ? subnet.change() : segment.change;
    const auto text = fmt::format("rail {} {}", rail, said(subnet, segment.change));
    labels.push_back({.text = is_changed ? signed_text(change, text) : text,
                      .face = Face::kAddress,
                      .change = change});
  }
  if (const auto traits = traits_of(segment, common); !traits.empty()) {
    labels.push_back({.text = fmt::format("{}", fmt::join(traits, " · ")),
                      .face = Face::kQuiet,
                      .change = Change::kSame});
  }
  return labels;
}

void put_labels(SvgCanvas& canvas, const std::vector<SvgLabel>& labels, Point at, Anchor anchor) {
  for (const auto& label : labels) {
    canvas.text(at, label.text, label.face, anchor, label.change);
    at.y += kLabelHeight;
  }
}

}  // namespace spark::cli
