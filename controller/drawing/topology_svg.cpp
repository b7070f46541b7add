#include "drawing/topology_svg.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "base/html.hpp"
#include "drawing/figures.hpp"
#include "drawing/map_words.hpp"
#include "drawing/svg_canvas.hpp"
#include "drawing/svg_figures.hpp"

namespace spark::drawing {
namespace {

constexpr int kPageMargin = 28;
constexpr int kHeadHeight = 58;
constexpr int kFigureGap = 44;
constexpr std::size_t kMostSentences = 40;  // what a screen reader says

std::string about(const FabricMap& map) {
  return map.known_by.empty() ? "By the cluster file alone: no cable here is proven."
                              : fmt::format("As {} knows it.", map.known_by);
}

/// " (rail 0 proven, rail 1 fails: mtu)".
std::string spoken_state(const MapSegment& segment) {
  return segment.live.empty() ? std::string() : fmt::format(" ({})", proofs_text(segment.live));
}

/// What a screen reader says instead of the picture.
std::string sentence_of(const MapSegment& segment) {
  std::vector<std::string> ends;
  std::ranges::transform(segment.ends, std::back_inserter(ends), [](const MapEnd& end) {
    return end.live.empty() ? end.in_words()
                            : fmt::format("{} ({})", end.in_words(), proofs_text(end.live));
  });
  const auto text = fmt::format(
      "{}{}: {}.", segment.is_switch() ? "Switch " + segment.name : std::string("Cable"),
      spoken_state(segment), fmt::join(ends, ", "));
  return segment.subnets.empty()
             ? text
             : fmt::format("{} Subnets: {}.", text, fmt::join(segment.subnets, ", "));
}

std::string sentence_of(const MapNode& node) {
  return fmt::format("{} is {}.", node.name, node.live.words);
}

std::string description_of(const FabricMap& map) {
  auto text = about(map);
  if (const auto places = places_text(map); !places.empty()) text += fmt::format(" {}", places);
  for (const auto& node : map.nodes) {
    if (!node.live.words.empty()) text += " " + sentence_of(node);
  }
  std::size_t count = 0;
  for (const auto& segment : map.segments) {
    if (++count > kMostSentences) break;
    text += " " + sentence_of(segment);
  }
  if (count > kMostSentences) {
    text += fmt::format(" And {} more.", map.segments.size() - kMostSentences);
  }
  return text;
}

/// Nodes without a cable share rows.
void draw_alone(SvgCanvas& canvas, const FabricMap& map, const std::vector<std::size_t>& nodes,
                int y) {
  constexpr std::size_t kInOneRow = 4;
  constexpr int kGap = 14;
  int row_height = 0;
  int x = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    SvgNode node(map.nodes[nodes[i]], {});
    if (i % kInOneRow == 0) {
      y += i == 0 ? 0 : row_height + kGap;
      x = canvas.covered().x;
      row_height = 0;
    }
    node.place({.x = x, .y = y});
    node.draw(canvas);
    row_height = std::max(row_height, node.height());
    x += node.width() + kGap;
  }
}

void draw_figures(SvgCanvas& canvas, const FabricMap& map) {
  const auto ends = ends_by_name(map);
  const auto common = common_traits(map);
  std::vector<std::size_t> alone;
  const auto next_y = [&] {
    return canvas.elements().empty() ? 0 : canvas.covered().bottom() + kFigureGap;
  };
  for (const auto& figure : figures_of(map)) {
    if (figure.shape == Shape::kAlone) {
      alone.push_back(figure.nodes.front());
    } else if (figure.shape == Shape::kStar) {
      draw_star(canvas, map, figure, ends, next_y(), common);
    } else {
      draw_ladder(canvas, map, figure, ends, next_y(), common);
    }
  }
  draw_alone(canvas, map, alone, next_y());
}

/// A sample of each look of a cable, so that nobody has to know the colours.
void draw_legend(SvgCanvas& canvas, Point at) {
  constexpr int kSample = 46;
  constexpr int kStep = 140;
  for (const auto& [mark, words] : kProofs) {
    canvas.path(fmt::format("M {} {} H {}", at.x, at.y, at.x + kSample),
                {.x = at.x, .y = at.y, .width = kSample, .height = 1}, "cable", mark);
    canvas.badge({.x = at.x + kSample / 2, .y = at.y}, mark);
    canvas.text({.x = at.x + kSample + 10, .y = at.y + 4}, words, Face::kPlain);
    at.x += kStep;
  }
}

Area with_margin(const Area& covered, int margin) {
  return {.x = covered.x - margin,
          .y = covered.y - margin,
          .width = covered.width + 2 * margin,
          .height = covered.height + 2 * margin};
}

/// viewBox, width and height.
std::string frame_of(const Area& page) {
  return fmt::format(R"(viewBox="{} {} {} {}" width="{}" height="{}")", page.x, page.y, page.width,
                     page.height, page.width, page.height);
}

}  // namespace

std::string topology_svg(const FabricMap& map) {
  SvgCanvas canvas;
  draw_figures(canvas, map);
  const auto left = canvas.covered().x;
  const auto top = canvas.covered().y - kHeadHeight;
  canvas.text({.x = left, .y = top + 18}, heading_of(map), Face::kTitle);
  canvas.text({.x = left, .y = top + 36}, about(map), Face::kQuiet);
  const Point below{.x = left, .y = canvas.covered().bottom() + kFigureGap};
  if (!map.known_by.empty()) draw_legend(canvas, below);
  const auto page = with_margin(canvas.covered(), kPageMargin);
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" {} )"
                     R"(role="img" aria-labelledby="title description">)"
                     "\n"
                     R"(<title id="title">{}</title>)"
                     "\n"
                     R"(<desc id="description">{}</desc>)"
                     "\n<style>\n{}</style>\n"
                     R"(<rect x="{}" y="{}" width="{}" height="{}" class="page"/>)"
                     "\n{}</svg>\n",
                     frame_of(page), html(heading_of(map)),
                     html(description_of(map), std::string_view::npos), svg_style({}), page.x,
                     page.y, page.width, page.height, canvas.elements());
}

std::string topology_in_page(const FabricMap& map) {
  constexpr int kMargin = 4;  // a stroke is drawn on both sides of its edge
  SvgCanvas canvas;
  draw_figures(canvas, map);
  return fmt::format("<svg class=\"map\" {} role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
                     frame_of(with_margin(canvas.covered(), kMargin)),
                     html(description_of(map), std::string_view::npos), canvas.elements());
}

}  // namespace spark::drawing
