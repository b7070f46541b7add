#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "cli/topology/figure_text.hpp"
#include "drawing/map_words.hpp"

namespace spark::cli {

using namespace drawing;
namespace {

constexpr std::size_t kStarMargin = 2;
constexpr std::size_t kMostPorts = 64;
constexpr std::size_t kFewest = 2;  // boxes in a row

/// A line in the box of a port.
struct PortLine {
  std::string text;
  Mark mark;
};

/// The node, its cage, and each rail.
std::vector<PortLine> port_lines(const FabricMap& map, const MapEnd& end, std::size_t rails) {
  const auto* node = map.node(end.node);
  const auto mark = node == nullptr ? Mark::kNone : node->live.mark;
  // What is so of all rails is said once.
  const auto& first = live_of_rail(end.live, 0).words;
  const bool is_one =
      std::ranges::all_of(end.live, [&](const Live& rail) { return rail.words == first; });
  const auto cage = fmt::format("cage {}{}{}", end.cage.value_or(0),
                                is_one && !first.empty() ? "  " : "", is_one ? first : "");
  std::vector<PortLine> lines{{signed_text(mark, end.node), mark}, {cage, Mark::kNone}};
  for (std::size_t rail = 0; rail < rails; ++rail) {
    const auto& live = live_of_rail(end.live, rail);
    auto text = signed_text(live.mark, without_length(of_rail(end.addresses, rail)));
    if (!is_one && !live.words.empty()) text += " " + live.words;
    lines.push_back({std::move(text), live.mark});
  }
  return lines;
}

class StarPicture {
 public:
  StarPicture(const FabricMap& map, const MapSegment& segment, std::size_t width)
      : map_(map), segment_(segment), rails_(segment.rails()), canvas_(width) {
    for (const auto& end : segment.ends) {
      for (const auto& line : port_lines(map, end, rails_)) {
        box_ = std::max(box_, columns(line.text) + 4);
      }
    }
    std::vector<std::string> head{"switch " + segment.name};
    for (auto& trait : traits_of(segment, common_traits(map))) head.push_back(std::move(trait));
    bar_.push_back(fmt::format("{}", fmt::join(head, " · ")));
    for (std::size_t rail = 0; rail < segment.subnets.size(); ++rail) {
      bar_.push_back(fmt::format("rail {}  {}", rail, segment.subnets[rail]));
    }
  }

  std::optional<Canvas> draw() {
    const auto room = (canvas_.width() - kStarMargin + 1) / (box_ + 1);
    const std::span<const MapEnd> ends(segment_.ends);
    if (room < kFewest || ends.size() > kMostPorts) return {};
    const auto rows = (ends.size() + room - 1) / room;
    const auto in_a_row = (ends.size() + rows - 1) / rows;
    inside_ = in_a_row * (box_ + 1) - 3;
    const bool is_wide_enough =
        std::ranges::all_of(bar_, [&](const auto& line) { return columns(line) + 2 <= inside_; });
    if (!is_wide_enough) inside_ = canvas_.width() - kStarMargin - 2;
    std::size_t y = 0;
    for (std::size_t first = 0; first < ends.size();) {
      if (first > 0) y = draw_trunk(y);
      // A row that is the last hangs below its bar.
      const auto above = ends.size() - first <= in_a_row ? 0 : in_a_row;
      const auto below = std::min(in_a_row, ends.size() - first - above);
      y = draw_group(ends.subspan(first, above), ends.subspan(first + above, below), y);
      first += above + below;
    }
    return canvas_;
  }

 private:
  [[nodiscard]] std::size_t box_height() const { return rails_ + 4; }
  [[nodiscard]] std::size_t left_of(std::size_t place) const {
    return kStarMargin + place * (box_ + 1);
  }

  std::size_t draw_group(std::span<const MapEnd> above, std::span<const MapEnd> below,
                         std::size_t y) {
    for (std::size_t i = 0; i < above.size(); ++i) draw_port(above[i], {left_of(i), y}, true);
    if (!above.empty()) y += box_height() + 1;
    draw_bar(y);
    draw_joints(above, y, true);
    y += bar_.size() + 2;
    draw_joints(below, y - 1, false);
    if (below.empty()) return y;
    for (std::size_t i = 0; i < below.size(); ++i) draw_port(below[i], {left_of(i), y + 1}, false);
    return y + 1 + box_height();
  }

  void draw_port(const MapEnd& end, Spot at, bool is_above) {
    const auto stroke = cable_stroke(end.mark());
    const auto lines = port_lines(map_, end, rails_);
    put_box(canvas_, at, box_, box_height(), tone_of(lines.front().mark));
    std::size_t y = at.y + 1;
    for (const auto& line : lines) {
      const bool is_name = y == at.y + 1;
      const auto tone = tone_of(line.mark);
      canvas_.put({.x = at.x + 2, .y = y}, line.text,
                  is_name && tone == Tone::kPlain ? Tone::kStrong : tone);
      ++y;
    }
    const auto x = at.x + box_ / 2;
    const auto border = is_above ? at.y + box_height() - 1 : at.y;
    canvas_.put({.x = x, .y = border}, is_above ? stroke.from_bottom : stroke.from_top,
                stroke.tone);
    canvas_.put({.x = x, .y = is_above ? border + 1 : border - 1}, stroke.down, stroke.tone);
  }

  void draw_bar(std::size_t y) {
    const auto right = kStarMargin + inside_ + 1;
    const auto bottom = y + bar_.size() + 1;
    for (auto x = kStarMargin + 1; x < right; ++x) {
      canvas_.put({.x = x, .y = y}, "═");
      canvas_.put({.x = x, .y = bottom}, "═");
    }
    canvas_.put({.x = kStarMargin, .y = y}, "╔");
    canvas_.put({.x = right, .y = y}, "╗");
    canvas_.put({.x = kStarMargin, .y = bottom}, "╚");
    canvas_.put({.x = right, .y = bottom}, "╝");
    for (std::size_t line = 0; line < bar_.size(); ++line) {
      const auto row = y + 1 + line;
      canvas_.put({.x = kStarMargin, .y = row}, "║");
      canvas_.put({.x = right, .y = row}, "║");
      canvas_.put({.x = kStarMargin + 2, .y = row}, cut(bar_[line], inside_ - 2),
                  line == 0 ? Tone::kStrong : Tone::kPlain);
    }
  }

  void draw_joints(std::span<const MapEnd> ends, std::size_t y, bool is_above) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto mark = ends[i].mark();
      canvas_.put({.x = left_of(i) + box_ / 2, .y = y},
                  is_above ? (is_broken(mark) ? "╧" : "╩") : (is_broken(mark) ? "╤" : "╦"),
                  tone_of(mark));
    }
  }

  /// The same switch again, for those that had no place beside the bar above.
  std::size_t draw_trunk(std::size_t y) {
    canvas_.put({.x = kStarMargin, .y = y}, "⋮", Tone::kFaint);
    return y + 1;
  }

  const FabricMap& map_;
  const MapSegment& segment_;
  std::size_t rails_;
  Canvas canvas_;
  std::size_t box_ = 0;     ///< columns of a box
  std::size_t inside_ = 0;  ///< columns inside the bar
  std::vector<std::string> bar_;
};

}  // namespace

std::optional<Canvas> star_text(const FabricMap& map, const MapSegment& segment,
                                std::size_t width) {
  return StarPicture(map, segment, width).draw();
}

}  // namespace spark::cli
