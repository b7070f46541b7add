#include "cli/topology/topology_svg.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "base/html.hpp"
#include "cli/topology/figures.hpp"
#include "cli/topology/map_words.hpp"
#include "cli/topology/svg_canvas.hpp"
#include "cli/topology/svg_ladder.hpp"
#include "cli/topology/svg_star.hpp"

namespace spark::cli {
namespace {

constexpr int kPageMargin = 28;
constexpr int kHeadHeight = 58;
constexpr int kFigureGap = 44;
constexpr std::size_t kMostChanges = 40;    // lines below the picture
constexpr std::size_t kMostSentences = 40;  // what a screen reader says
constexpr std::string_view kByFile = "By the cluster file alone: no cable here is proven.";

/// What a screen reader says instead of the picture.
std::string sentence_of(const MapSegment& segment) {
  std::vector<std::string> ends;
  std::ranges::transform(segment.ends, std::back_inserter(ends), &MapEnd::in_words);
  std::vector<std::string> subnets;
  std::ranges::transform(segment.subnets, std::back_inserter(subnets), &Compared::either);
  const auto change =
      segment.change == Change::kSame ? "" : fmt::format(" ({})", name_of(segment.change));
  return fmt::format("{}{}: {}. Subnets: {}.",
                     segment.is_switch() ? "Switch " + segment.name : std::string("Cable"), change,
                     fmt::join(ends, ", "), fmt::join(subnets, ", "));
}

std::string description_of(const FabricMap& map) {
  std::string text(kByFile);
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
  EndsShown ends(map);
  const auto common = common_traits(map);
  std::vector<std::size_t> alone;
  const auto next_y = [&] {
    return canvas.elements().empty() ? 0 : canvas.covered().bottom() + kFigureGap;
  };
  for (const auto& figure : figures_of(map)) {
    ends.prefer(figure.segments);
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
  for (const auto change : {Change::kAdded, Change::kRemoved, Change::kChanged}) {
    canvas.path(fmt::format("M {} {} H {}", at.x, at.y, at.x + kSample),
                {.x = at.x, .y = at.y, .width = kSample, .height = 1}, "cable", change);
    canvas.badge({.x = at.x + kSample / 2, .y = at.y}, change);
    canvas.text({.x = at.x + kSample + 10, .y = at.y + 4}, name_of(change), Face::kPlain);
    at.x += kStep;
  }
}

struct ChangeLine {
  std::string text;
  Change change = Change::kSame;
  int indent = 0;
};

std::vector<ChangeLine> change_lines(const FabricMap& map) {
  constexpr int kIndent = 20;
  std::vector<ChangeLine> lines;
  for (const auto& change : changes_of(map)) {
    lines.push_back({.text = text_of(change), .change = change.change, .indent = 0});
    for (const auto& value : change.values) {
      lines.push_back({.text = text_of(value), .change = change.change, .indent = kIndent});
    }
  }
  return lines;
}

void draw_changes(SvgCanvas& canvas, const FabricMap& map, Point at) {
  constexpr int kLine = 19;
  draw_legend(canvas, at);
  at.y += 2 * kLine;
  const auto lines = change_lines(map);
  for (std::size_t i = 0; i < std::min(lines.size(), kMostChanges); ++i) {
    constexpr std::size_t kLongest = 110;
    canvas.text({.x = at.x + lines[i].indent, .y = at.y}, cut(lines[i].text, kLongest),
                Face::kAddress, Anchor::kStart, lines[i].change);
    at.y += kLine;
  }
  if (lines.size() > kMostChanges) {
    canvas.text(at, fmt::format("and {} lines more", lines.size() - kMostChanges), Face::kQuiet);
  } else if (lines.empty()) {
    canvas.text(at, "nothing that is drawn here differs", Face::kQuiet);
  }
}

}  // namespace

std::string topology_svg(const FabricMap& map) {
  SvgCanvas canvas;
  draw_figures(canvas, map);
  const auto left = canvas.covered().x;
  const auto top = canvas.covered().y - kHeadHeight;
  canvas.text({.x = left, .y = top + 18}, heading_of(map), Face::kTitle);
  canvas.text({.x = left, .y = top + 36}, kByFile, Face::kQuiet);
  if (map.is_compared) {
    draw_changes(canvas, map, {.x = left, .y = canvas.covered().bottom() + kFigureGap});
  }
  const auto& covered = canvas.covered();
  const Area page{.x = covered.x - kPageMargin,
                  .y = covered.y - kPageMargin,
                  .width = covered.width + 2 * kPageMargin,
                  .height = covered.height + 2 * kPageMargin};
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="{} {} {} {}" width="{}" height="{}" )"
      R"(role="img" aria-labelledby="title description">)"
      "\n"
      R"(<title id="title">{}</title>)"
      "\n"
      R"(<desc id="description">{}</desc>)"
      "\n<style>\n{}</style>\n"
      R"(<rect x="{}" y="{}" width="{}" height="{}" class="page"/>)"
      "\n{}</svg>\n",
      page.x, page.y, page.width, page.height, page.width, page.height, html(heading_of(map)),
      html(description_of(map), std::string_view::npos), svg_style(), page.x, page.y, page.width,
      page.height, canvas.elements());
}

}  // namespace spark::cli
