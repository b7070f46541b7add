#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "drawing/map_words.hpp"
#include "drawing/svg_figures.hpp"
#include "drawing/svg_node.hpp"

namespace spark::drawing {
namespace {

constexpr std::size_t kInARow = 4;
constexpr int kNodeGap = 14;
constexpr int kPortLength = 40;
constexpr int kBarPadding = 14;
constexpr int kTrunk = 30;  // how far it is left of the bars
constexpr int kGroupGap = 36;

class SvgStar {
 public:
  SvgStar(SvgCanvas& canvas, const FabricMap& map, const Figure& figure, const EndsByName& ends,
          const CommonTraits& common)
      : canvas_(canvas),
        segment_(map.segments[figure.segments.front()]),
        labels_(labels_of(segment_, common)) {
    for (const auto& end : segment_.ends) ports_[end.node].push_back(&end);
    for (const auto node : figure.nodes) {
      nodes_.emplace_back(map.nodes[node], ends);
      names_.push_back(map.nodes[node].name);
      widest_ = std::max(widest_, nodes_.back().width());
      highest_ = std::max(highest_, nodes_.back().height());
    }
    in_a_row_ = std::min(kInARow, std::max<std::size_t>(nodes_.size(), 1));
    width_ = std::max(static_cast<int>(in_a_row_) * (widest_ + kNodeGap) - kNodeGap, head_width());
  }

  void draw(int y) {
    const auto all = nodes_.size();
    for (std::size_t first = 0; first < all;) {
      // A row that is the last hangs below its bar.
      const auto above = all - first <= kInARow ? 0 : kInARow;
      const auto below = std::min(kInARow, all - first - above);
      y = draw_group({.first = first, .above = above, .below = below}, y) + kGroupGap;
      first += above + below;
    }
    draw_trunk();
  }

 private:
  struct Group {
    std::size_t first = 0;
    std::size_t above = 0;
    std::size_t below = 0;
  };

  [[nodiscard]] std::string head() const { return "switch " + segment_.name; }

  [[nodiscard]] int head_width() const {
    int widest = width_of_text(signed_text(segment_.mark(), head()), Face::kName);
    for (const auto& label : labels_) {
      widest = std::max(widest, width_of_text(label.text, label.face));
    }
    return widest + 2 * kBarPadding;
  }

  [[nodiscard]] int bar_height() const {
    constexpr int kName = 22;
    return kName + static_cast<int>(labels_.size()) * kLabelHeight + 2 * kBarPadding - 8;
  }

  /// Returns where it ends.
  int draw_group(const Group& group, int y) {
    const auto bar_top = group.above > 0 ? y + highest_ + kPortLength : y;
    const auto bar_bottom = bar_top + bar_height();
    draw_row(group.first, group.above, {.node_top = y, .edge = bar_top});
    draw_row(group.first + group.above, group.below,
             {.node_top = bar_bottom + kPortLength, .edge = bar_bottom});
    draw_bar(bar_top);
    return group.below > 0 ? bar_bottom + kPortLength + highest_ : bar_bottom;
  }

  struct RowPlace {
    int node_top = 0;
    int edge = 0;  ///< of the bar
  };

  void draw_row(std::size_t first, std::size_t count, const RowPlace& place) {
    auto x = -(static_cast<int>(count) * (widest_ + kNodeGap) - kNodeGap) / 2;
    for (auto i = first; i < first + count; ++i) {
      nodes_[i].place({.x = x, .y = place.node_top});
      for (const auto* end : ports_[names_[i]]) draw_port(nodes_[i], *end, place.edge);
      nodes_[i].draw(canvas_);
      x += widest_ + kNodeGap;
    }
  }

  void draw_port(const SvgNode& node, const MapEnd& end, int edge) {
    const auto area = node.area();
    const auto x = node.port_x(end);
    const auto from = area.y < edge ? area.bottom() : edge;
    const auto to = area.y < edge ? edge : area.y;
    canvas_.begin_group(fmt::format("port {} ══ {}", segment_.name, end.name()));
    canvas_.path(fmt::format("M {} {} V {}", x, from, to),
                 {.x = x, .y = from, .width = 1, .height = to - from}, "cable", end.mark());
    const auto middle = (from + to) / 2;
    canvas_.badge({.x = x, .y = middle}, end.mark());
    // There is room for one word; the description of the picture has those of each rail.
    if (const auto why = worst_of(end.live).words; !why.empty()) {
      constexpr int kBesideBadge = 14;
      canvas_.text({.x = x + kBesideBadge, .y = middle + 4}, why, Face::kAddress, Anchor::kStart,
                   end.mark());
    }
    canvas_.end_group();
  }

  void draw_bar(int y) {
    constexpr int kNameLine = 14;
    const Area bar{.x = -width_ / 2, .y = y, .width = width_, .height = bar_height()};
    const bool is_first = bars_.empty();
    canvas_.begin_group(head());
    canvas_.rect(bar, "switch", segment_.mark());
    auto line = y + kBarPadding + kNameLine - 4;
    const auto name = signed_text(segment_.mark(), head());
    canvas_.text({.x = bar.x + kBarPadding, .y = line}, is_first ? name : name + " (continued)",
                 Face::kName, Anchor::kStart, segment_.mark());
    line += kLabelHeight + 3;
    put_labels(canvas_, labels_, {.x = bar.x + kBarPadding, .y = line}, Anchor::kStart);
    canvas_.end_group();
    bars_.push_back(bar);
  }

  /// All bars are one switch.
  void draw_trunk() {
    for (std::size_t i = 1; i < bars_.size(); ++i) {
      const auto from = bars_[i - 1].y + bars_[i - 1].height / 2;
      const auto to = bars_[i].y + bars_[i].height / 2;
      const auto x = bars_[i].x - kTrunk;
      canvas_.path(fmt::format("M {} {} H {} V {} H {}", bars_[i].x, from, x, to, bars_[i].x),
                   {.x = x, .y = from, .width = kTrunk, .height = to - from}, "trunk",
                   segment_.mark());
    }
  }

  SvgCanvas& canvas_;
  const MapSegment& segment_;
  std::vector<SvgLabel> labels_;
  std::unordered_map<std::string_view, std::vector<const MapEnd*>> ports_;
  std::vector<SvgNode> nodes_;
  std::vector<std::string_view> names_;  ///< of the nodes
  std::vector<Area> bars_;
  std::size_t in_a_row_ = 1;
  int widest_ = 0;
  int highest_ = 0;
  int width_ = 0;
};

}  // namespace

void draw_star(SvgCanvas& canvas, const FabricMap& map, const Figure& figure,
               const EndsByName& ends, int y, const CommonTraits& common) {
  SvgStar(canvas, map, figure, ends, common).draw(y);
}

}  // namespace spark::drawing
