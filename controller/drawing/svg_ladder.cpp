#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "drawing/ladder.hpp"
#include "drawing/map_words.hpp"
#include "drawing/svg_figures.hpp"
#include "drawing/svg_node.hpp"

namespace spark::drawing {
namespace {

constexpr int kColumnGap = 90;
constexpr int kRowGap = 124;
constexpr int kJoinDepth = 34;  // of a cable between two nodes of one row, away from them
constexpr int kBesideCable = 16;

class SvgLadder {
 public:
  SvgLadder(SvgCanvas& canvas, const FabricMap& map, Ladder ladder, const EndsByName& ends,
            const CommonTraits& common)
      : canvas_(canvas), map_(map), ladder_(std::move(ladder)), common_(common) {
    for (const auto& place : ladder_.nodes) {
      nodes_.emplace_back(map.nodes[place.node], ends);
      widest_ = std::max(widest_, nodes_.back().width());
      highest_ = std::max(highest_, nodes_.back().height());
    }
  }

  void draw(int y) {
    place_nodes(y + height_above());
    // Cables first: a box hides what runs below it.
    for (const auto& cable : ladder_.cables) draw_cable(cable);
    for (const auto& node : nodes_) node.draw(canvas_);
  }

 private:
  [[nodiscard]] const MapSegment& segment(const LadderCable& cable) const {
    return map_.segments[cable.segment];
  }

  /// What a cable above the first row takes.
  [[nodiscard]] int height_above() const {
    for (const auto& cable : ladder_.cables) {
      if (cable.run != Run::kAbove) continue;
      const auto labels = static_cast<int>(labels_of(segment(cable), common_).size());
      return kJoinDepth + labels * kLabelHeight + kBesideCable;
    }
    return 0;
  }

  void place_nodes(int top) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto& place = ladder_.nodes[i];
      const auto half = (widest_ + kColumnGap) / 2;
      const auto middle = ladder_.columns == 1 || place.is_wide ? 0
                          : place.column == 0                   ? -half
                                                                : half;
      nodes_[i].place({.x = middle - nodes_[i].width() / 2,
                       .y = top + static_cast<int>(place.row) * (highest_ + kRowGap)});
    }
  }

  void draw_cable(const LadderCable& cable) {
    canvas_.begin_group(fmt::format("cable {}", name_of(segment(cable))));
    if (cable.run == Run::kDown) {
      draw_down(cable);
    } else {
      draw_join(cable);
    }
    canvas_.end_group();
  }

  /// How many cables go down between the two nodes.
  [[nodiscard]] std::ptrdiff_t beside(const LadderCable& cable) const {
    return std::ranges::count_if(ladder_.cables, [&](const auto& other) {
      return other.run == Run::kDown && other.from == cable.from && other.to == cable.to;
    });
  }

  void draw_down(const LadderCable& cable) {
    const auto& upper = nodes_[cable.from];
    const auto& lower = nodes_[cable.to];
    const Point from{.x = upper.port_x(*cable.from_end), .y = upper.area().bottom()};
    const Point to{.x = lower.port_x(*cable.to_end), .y = lower.area().y};
    const auto middle = (from.y + to.y) / 2;
    const auto left = std::min(from.x, to.x);
    canvas_.path(
        fmt::format("M {} {} C {} {} {} {} {} {}", from.x, from.y, from.x, middle, to.x, middle,
                    to.x, to.y),
        {.x = left, .y = from.y, .width = std::max(from.x, to.x) - left, .height = to.y - from.y},
        "cable", segment(cable).mark());
    const Point centre{.x = (from.x + to.x) / 2, .y = middle};
    canvas_.badge(centre, segment(cable).mark());
    // Away from the other cable: at a ring that of the other column, at a pair that of the other
    // cage.
    const bool is_left = centre.x < 0 && (ladder_.columns == 2 || beside(cable) > 1);
    const auto labels = labels_of(segment(cable), common_);
    const auto away = kBesideCable + (segment(cable).mark() == Mark::kNone ? 0 : 6);
    put_labels(canvas_, labels,
               {.x = centre.x + (is_left ? -away : away),
                .y = first_label(centre.y, (to.x - from.x) * (is_left ? 1 : -1),
                                 static_cast<int>(labels.size()))},
               is_left ? Anchor::kEnd : Anchor::kStart);
  }

  /// The labels of a cable that leans stand in the half of the gap that it leaves free: below the
  /// middle where it leans away from them on its way down (`lean` above zero), else above.
  static int first_label(int middle, int lean, int count) {
    constexpr int kLeans = 8;
    if (lean > kLeans) return middle + kLabelHeight;
    if (lean < -kLeans) return middle - 6 - (count - 1) * kLabelHeight;
    return middle + 4 - (count - 1) * kLabelHeight / 2;
  }

  /// Between the two nodes of one row, away from the others.
  void draw_join(const LadderCable& cable) {
    constexpr int kCorner = 16;
    const auto& left = nodes_[cable.from];
    const auto& right = nodes_[cable.to];
    const bool is_below = cable.run == Run::kBelow;
    const int away = is_below ? 1 : -1;
    const auto edge = [&](const SvgNode& node) {
      return is_below ? node.area().bottom() : node.area().y;
    };
    const Point from{.x = left.port_x(*cable.from_end), .y = edge(left)};
    const Point to{.x = right.port_x(*cable.to_end), .y = edge(right)};
    const auto across =
        (is_below ? std::max(from.y, to.y) : std::min(from.y, to.y)) + away * kJoinDepth;
    canvas_.path(fmt::format("M {} {} V {} Q {} {} {} {} H {} Q {} {} {} {} V {}", from.x, from.y,
                             across - away * kCorner, from.x, across, from.x + kCorner, across,
                             to.x - kCorner, to.x, across, to.x, across - away * kCorner, to.y),
                 {.x = from.x,
                  .y = std::min(from.y, across),
                  .width = to.x - from.x,
                  .height = std::max(from.y, across) - std::min(from.y, across)},
                 "cable", segment(cable).mark());
    const Point centre{.x = (from.x + to.x) / 2, .y = across};
    canvas_.badge(centre, segment(cable).mark());
    const auto labels = labels_of(segment(cable), common_);
    const auto clear = segment(cable).mark() == Mark::kNone ? 0 : 6;
    const auto first =
        is_below ? across + kBesideCable + 6 + clear
                 : across - 12 - clear - (static_cast<int>(labels.size()) - 1) * kLabelHeight;
    put_labels(canvas_, labels, {.x = centre.x, .y = first}, Anchor::kMiddle);
  }

  SvgCanvas& canvas_;
  const FabricMap& map_;
  Ladder ladder_;
  const CommonTraits& common_;
  std::vector<SvgNode> nodes_;
  int widest_ = 0;
  int highest_ = 0;
};

}  // namespace

void draw_ladder(SvgCanvas& canvas, const FabricMap& map, const Figure& figure,
                 const EndsByName& ends, int y, const CommonTraits& common) {
  SvgLadder(canvas, map, ladder_of(map, figure), ends, common).draw(y);
}

}  // namespace spark::drawing
