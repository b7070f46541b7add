#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/columns.hpp"
#include "cli/topology/figure_text.hpp"
#include "drawing/ladder.hpp"
#include "drawing/map_words.hpp"

namespace spark::cli {

using namespace drawing;
namespace {

constexpr std::size_t kLadderMargin = 2;
constexpr std::size_t kBoxHeight = 4;
constexpr std::size_t kCageLabel = 8;   // "cage 15", and a blank
constexpr std::size_t kNarrowest = 22;  // of a box in one of two columns
constexpr std::size_t kShortest = 12;   // of what is left of a label
constexpr std::size_t kMostNodes = 32;

/// How wide the boxes are, and how far from each other the two columns.
struct Measures {
  std::size_t box = 0;
  std::size_t gap = 0;

  std::size_t line = 0;  ///< of the only column

  [[nodiscard]] std::size_t whole() const { return 2 * box + gap; }
};

Measures measures_for(std::size_t width) {
  if (width >= 110) return {.box = 30, .gap = 26, .line = 60};
  if (width >= 78) return {.box = 25, .gap = 22, .line = 60};
  return {.box = kNarrowest, .gap = 10, .line = 46};
}

std::vector<std::string> labels_of(const MapSegment& cable) {
  std::vector<std::string> labels;
  for (std::size_t rail = 0; rail < cable.rails(); ++rail) {
    const auto& subnet = of_rail(cable.subnets, rail);
    labels.push_back(
        signed_text(live_of_rail(cable.live, rail).mark, subnet.empty() ? "no subnet" : subnet));
  }
  return labels;
}

class LadderPicture {
 public:
  LadderPicture(const FabricMap& map, Ladder ladder, std::size_t width)
      : map_(map), ladder_(std::move(ladder)), measures_(measures_for(width)), canvas_(width) {}

  std::optional<Canvas> draw() {
    if (!boxes_fit()) return {};
    std::size_t y = draw_row_joins(Run::kAbove, 0);
    for (std::size_t row = 0; row < ladder_.rows; ++row) {
      tops_.push_back(y);
      draw_boxes(row);
      y += kBoxHeight;
      if (row + 1 < ladder_.rows) y += draw_gap(row, y);
    }
    draw_row_joins(Run::kBelow, y);
    if (!labels_fit_) return {};
    return canvas_;
  }

 private:
  [[nodiscard]] const MapNode& node(std::size_t place) const {
    return map_.nodes[ladder_.nodes[place].node];
  }
  [[nodiscard]] const MapSegment& segment(const LadderCable& cable) const {
    return map_.segments[cable.segment];
  }
  [[nodiscard]] std::size_t width_of(std::size_t place) const {
    if (ladder_.columns == 1) return measures_.line;
    return ladder_.nodes[place].is_wide ? measures_.whole() : measures_.box;
  }
  [[nodiscard]] std::size_t left_of(std::size_t place) const {
    return kLadderMargin + ladder_.nodes[place].column * (measures_.box + measures_.gap);
  }

  [[nodiscard]] bool boxes_fit() const {
    if (kLadderMargin + measures_.whole() > canvas_.width()) return false;
    for (std::size_t place = 0; place < ladder_.nodes.size(); ++place) {
      const auto inside = width_of(place) - 2;
      if (columns(node(place).name) + 4 > inside) return false;
      if (node(place).cages.size() * kCageLabel > inside) return false;
    }
    return true;
  }

  /// Where a cable leaves the box of its node.
  [[nodiscard]] std::size_t x_of(std::size_t place, const MapEnd& end) const {
    // The top of a ring has room for its cages wherever its cables go down.
    if (ladder_.columns == 2 && ladder_.nodes[place].is_wide) {
      const auto cable = std::ranges::find_if(ladder_.cables, [&](const auto& one) {
        return one.from == place && one.from_end->cage == end.cage;
      });
      if (cable != ladder_.cables.end()) return middle_of(cable->to, *cable->to_end);
    }
    return middle_of(place, end);
  }

  /// The middle of a cage, or of a host that has none.
  [[nodiscard]] std::size_t middle_of(std::size_t place, const MapEnd& end) const {
    const auto& cages = node(place).cages;
    const auto left = left_of(place);
    if (!end.cage || cages.empty()) return left + width_of(place) / 2;
    const auto found = std::ranges::find(cages, *end.cage);
    const auto index = static_cast<std::size_t>(found - cages.begin());
    return left + (2 * index + 1) * width_of(place) / (2 * cages.size());
  }

  void draw_boxes(std::size_t row) {
    for (std::size_t place = 0; place < ladder_.nodes.size(); ++place) {
      if (ladder_.nodes[place].row == row) draw_box(place);
    }
  }

  void draw_box(std::size_t place) {
    const auto& shown = node(place);
    const auto y = tops_.back();
    const auto left = left_of(place);
    const auto tone = tone_of(shown.live.mark);
    put_box(canvas_, {.x = left, .y = y}, width_of(place), kBoxHeight, tone);
    const auto middle = left + width_of(place) / 2;
    canvas_.put_middle({.x = middle, .y = y + 1}, signed_text(shown.live.mark, shown.name),
                       tone == Tone::kPlain ? Tone::kStrong : tone);
    if (shown.is_external) canvas_.put_middle({.x = middle, .y = y + 2}, "no node", Tone::kFaint);
    for (const auto cage : shown.cages) {
      const MapEnd end{.node = shown.name, .cage = cage, .addresses = {}};
      canvas_.put_middle({.x = x_of(place, end), .y = y + 2}, fmt::format("cage {}", cage));
    }
    for (const auto& cable : ladder_.cables) {
      if (cable.from == place) draw_plug(place, *cable.from_end, cable, cable.run != Run::kAbove);
      if (cable.to == place) draw_plug(place, *cable.to_end, cable, cable.run == Run::kBelow);
    }
  }

  void draw_plug(std::size_t place, const MapEnd& end, const LadderCable& cable, bool at_bottom) {
    const auto stroke = cable_stroke(segment(cable).mark());
    canvas_.put({.x = x_of(place, end), .y = tops_.back() + (at_bottom ? kBoxHeight - 1 : 0)},
                at_bottom ? stroke.from_bottom : stroke.from_top, stroke.tone);
  }

  /// The cables from this row to the next, below each other where they bend. Returns the rows that
  /// they take.
  std::size_t draw_gap(std::size_t row, std::size_t y) {
    std::vector<const LadderCable*> cables;
    std::size_t labels = 1;
    std::size_t bends = 0;
    for (const auto& cable : ladder_.cables) {
      if (cable.run != Run::kDown || ladder_.nodes[cable.from].row != row) continue;
      cables.push_back(&cable);
      labels = std::max(labels, segment(cable).rails());
      if (bends_between(cable)) ++bends;
    }
    const auto height = labels + std::max<std::size_t>(bends, 1);
    std::size_t bend = 0;
    for (const auto* cable : cables) {
      draw_down(*cable, {.from = y, .bend = y + labels + bend, .end = y + height});
      if (bends_between(*cable)) ++bend;
    }
    std::ranges::sort(cables, {},
                      [&](const auto* cable) { return x_of(cable->from, *cable->from_end); });
    taken_ = 0;
    for (const auto* cable : cables) put_labels_beside(*cable, cables, y);
    return height;
  }

  [[nodiscard]] bool bends_between(const LadderCable& cable) const {
    return x_of(cable.from, *cable.from_end) != x_of(cable.to, *cable.to_end);
  }

  struct DownRows {
    std::size_t from = 0;
    std::size_t bend = 0;
    std::size_t end = 0;  ///< that of the box below
  };

  void draw_down(const LadderCable& cable, DownRows rows) {
    const auto stroke = cable_stroke(segment(cable).mark());
    const auto from = x_of(cable.from, *cable.from_end);
    const auto to = x_of(cable.to, *cable.to_end);
    for (auto y = rows.from; y < rows.end; ++y) {
      canvas_.put({.x = y < rows.bend ? from : to, .y = y}, stroke.down, stroke.tone);
    }
    if (from == to) return;
    for (auto x = std::min(from, to) + 1; x < std::max(from, to); ++x) {
      canvas_.put({.x = x, .y = rows.bend}, stroke.across, stroke.tone);
    }
    canvas_.put({.x = from, .y = rows.bend}, from < to ? stroke.up_right : stroke.up_left,
                stroke.tone);
    canvas_.put({.x = to, .y = rows.bend}, from < to ? stroke.down_left : stroke.down_right,
                stroke.tone);
  }

  /// At the right of the cable, or at the left where there is more room.
  void put_labels_beside(const LadderCable& cable, const std::vector<const LadderCable*>& others,
                         std::size_t y) {
    const auto x = x_of(cable.from, *cable.from_end);
    auto left_end = taken_;
    std::size_t right_end = canvas_.width();
    for (const auto* other : others) {
      const auto there = x_of(other->from, *other->from_end);
      if (there > x) right_end = std::min(right_end, there - 1);
    }
    std::size_t longest = 0;
    const auto labels = labels_of(segment(cable));
    for (const auto& label : labels) longest = std::max(longest, columns(label));
    const auto right = right_end > x + 2 ? right_end - x - 2 : 0;
    const auto left = x > left_end + 2 ? x - left_end - 2 : 0;
    const bool is_left = longest > right && left > right;
    const auto room = is_left ? left : right;
    if (room < std::min(longest, kShortest)) labels_fit_ = false;
    taken_ = is_left ? x + 2 : x + 3 + std::min(room, longest);
    for (std::size_t rail = 0; rail < labels.size(); ++rail) {
      const auto text = cut(labels[rail], room);
      const auto tone = tone_of(live_of_rail(segment(cable).live, rail).mark);
      if (is_left) {
        canvas_.put_before({.x = x - 1, .y = y + rail}, text, tone);
      } else {
        canvas_.put({.x = x + 2, .y = y + rail}, text, tone);
      }
    }
  }

  /// The cable between the two nodes of the last row, or of the first. Returns the rows that it
  /// takes.
  std::size_t draw_row_joins(Run run, std::size_t y) {
    const auto found = std::ranges::find(ladder_.cables, run, &LadderCable::run);
    if (found == ladder_.cables.end()) return 0;
    const auto& cable = *found;
    const auto labels = labels_of(segment(cable));
    const auto height = std::max<std::size_t>(labels.size(), 1) + 1;
    const auto stroke = cable_stroke(segment(cable).mark());
    const auto left = x_of(cable.from, *cable.from_end);
    const auto right = x_of(cable.to, *cable.to_end);
    const bool is_below = run == Run::kBelow;
    const auto plug_row = is_below ? y : y + height - 1;
    const auto across_row = is_below ? y + 1 : y + height - 2;
    for (const auto x : {left, right}) {
      canvas_.put({.x = x, .y = plug_row}, stroke.down, stroke.tone);
    }
    for (auto x = left + 1; x < right; ++x) {
      canvas_.put({.x = x, .y = across_row}, stroke.across, stroke.tone);
    }
    canvas_.put({.x = left, .y = across_row}, is_below ? stroke.up_right : stroke.down_right,
                stroke.tone);
    canvas_.put({.x = right, .y = across_row}, is_below ? stroke.up_left : stroke.down_left,
                stroke.tone);
    // The line holds the label that is next to it when the picture is read from top to bottom.
    for (std::size_t rail = 0; rail < labels.size(); ++rail) {
      const auto label_row = is_below ? y + 1 + rail : y + rail;
      const auto inside = right - left - 1;
      auto text = cut(labels[rail], inside - 2);
      if (label_row == across_row) text = fmt::format(" {} ", text);
      canvas_.put({.x = left + 1 + (inside - columns(text)) / 2, .y = label_row}, text,
                  tone_of(live_of_rail(segment(cable).live, rail).mark));
    }
    return height;
  }

  const FabricMap& map_;
  Ladder ladder_;
  Measures measures_;
  Canvas canvas_;
  std::vector<std::size_t> tops_;  ///< of the boxes of each row
  std::size_t taken_ = 0;          ///< of the columns of a gap, by cables and labels at the left
  bool labels_fit_ = true;
};

}  // namespace

std::optional<Canvas> ladder_text(const FabricMap& map, const Figure& figure, std::size_t width) {
  if (figure.nodes.size() > kMostNodes) return {};
  return LadderPicture(map, ladder_of(map, figure), width).draw();
}

}  // namespace spark::cli
