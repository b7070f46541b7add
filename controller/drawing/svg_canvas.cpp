#include "drawing/svg_canvas.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/columns.hpp"
#include "base/html.hpp"

namespace spark::drawing {
namespace {

struct FaceRow {
  std::string_view style;
  int height = 0;
  double advance = 0;  ///< of one character
};

// In the order of the enumerators; the sizes are those of svg_style().
constexpr std::array kFaces{FaceRow{"title", 18, 10.2}, FaceRow{"name", 15, 9.0},
                            FaceRow{"plain", 12, 6.9}, FaceRow{"quiet", 11, 6.3},
                            FaceRow{"address", 12, 7.3}};

const FaceRow& row_of(Face face) { return kFaces.at(static_cast<std::size_t>(face)); }

struct Rule {
  std::string_view selector;
  std::string_view light;
  std::string_view dark;  ///< what differs there
};

// Colours stand in full and not as variables: drawing programs know no variables. The background of
// a document is drawn, since a page may be light where the system is dark.
constexpr std::array kRules{
    Rule{"text",
         "font-family: system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif; "
         "font-size: 12px; fill: #1b1f24;",
         "fill: #e4e8ec;"},
    Rule{".title", "font-size: 18px; font-weight: 600;", ""},
    Rule{".name", "font-size: 15px; font-weight: 600;", ""},
    Rule{".quiet", "font-size: 11px; fill: #5b6570;", "fill: #9aa5b1;"},
    Rule{".address",
         "font-family: ui-monospace, \"SF Mono\", Menlo, \"DejaVu Sans Mono\", monospace;", ""},
    Rule{".page", "fill: #f6f7f8;", "fill: #111418;"},
    Rule{".node", "fill: #ffffff; stroke: #aab3bc; stroke-width: 1.5;",
         "fill: #191d22; stroke: #5a646e;"},
    Rule{".cage", "fill: #eef1f4; stroke: #aab3bc;", "fill: #222831; stroke: #5a646e;"},
    Rule{".unused", "fill: none; stroke: #c5ccd3; stroke-dasharray: 2 3;",
         "fill: none; stroke: #3f4852;"},
    Rule{".switch", "fill: #dfe5ea; stroke: #6b7580; stroke-width: 1.5;",
         "fill: #2a323b; stroke: #8a949e;"},
    Rule{".cable", "fill: none; stroke: #6b7580; stroke-width: 5; stroke-linecap: round;",
         "stroke: #8a949e;"},
    Rule{".trunk", "fill: none; stroke: #6b7580; stroke-width: 3;", "stroke: #8a949e;"},
    Rule{".badge", "fill: #f6f7f8; stroke-width: 2;", "fill: #111418;"},
    Rule{".good", "stroke: #1a7340;", "stroke: #5fcb8b;"},
    Rule{".bad", "stroke: #b3261e; stroke-dasharray: 3 8;", "stroke: #ff8a80;"},
    Rule{".open", "stroke: #8a5300; stroke-dasharray: 16 8;", "stroke: #e8b455;"},
    Rule{"circle.badge", "stroke-dasharray: none;", ""},
    Rule{"text.good", "fill: #1a7340; stroke: none;", "fill: #5fcb8b;"},
    Rule{"text.bad", "fill: #b3261e; stroke: none;", "fill: #ff8a80;"},
    Rule{"text.open", "fill: #8a5300; stroke: none;", "fill: #e8b455;"}};

/// ".map .good" of ".good".
std::string scoped(std::string_view selector, std::string_view scope) {
  return fmt::format("{}{}{}", scope, scope.empty() ? "" : " ", selector);
}

/// "cable", "cable good".
std::string classes(std::string_view style, Mark mark) {
  const auto more = class_of(mark);
  return fmt::format("{}{}{}", style, more.empty() ? "" : " ", more);
}

}  // namespace

int width_of_text(std::string_view text, Face face) {
  return static_cast<int>(static_cast<double>(columns(text)) * row_of(face).advance) + 1;
}

void SvgCanvas::cover(const Area& area) {
  if (covered_.width == 0) {
    covered_ = area;
    return;
  }
  const auto right = std::max(covered_.right(), area.right());
  const auto bottom = std::max(covered_.bottom(), area.bottom());
  covered_.x = std::min(covered_.x, area.x);
  covered_.y = std::min(covered_.y, area.y);
  covered_.width = right - covered_.x;
  covered_.height = bottom - covered_.y;
}

void SvgCanvas::rect(const Area& area, std::string_view style, Mark mark) {
  elements_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="8" class="{}"/>)"
                           "\n",
                           area.x, area.y, area.width, area.height, classes(style, mark));
  cover(area);
}

void SvgCanvas::text(Point at, std::string_view content, Face face, Anchor anchor, Mark mark) {
  constexpr std::array<std::string_view, 3> kAnchors{"", R"( text-anchor="middle")",
                                                     R"( text-anchor="end")"};
  const auto& row = row_of(face);
  elements_ += fmt::format(R"(<text x="{}" y="{}"{} class="{}">{}</text>)"
                           "\n",
                           at.x, at.y, kAnchors.at(static_cast<std::size_t>(anchor)),
                           classes(row.style, mark), html(content));
  const auto width = width_of_text(content, face);
  const auto left = anchor == Anchor::kStart ? 0 : anchor == Anchor::kMiddle ? width / 2 : width;
  cover({.x = at.x - left, .y = at.y - row.height, .width = width, .height = row.height + 4});
}

void SvgCanvas::path(std::string_view data, const Area& covered, std::string_view style,
                     Mark mark) {
  elements_ += fmt::format(R"(<path d="{}" class="{}"/>)"
                           "\n",
                           data, classes(style, mark));
  cover(covered);
}

void SvgCanvas::badge(Point middle, Mark mark) {
  if (mark == Mark::kNone) return;
  constexpr int kRadius = 11;
  constexpr int kBaseline = 5;
  elements_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" class="badge {}"/>)"
                           "\n",
                           middle.x, middle.y, kRadius, class_of(mark));
  text({.x = middle.x, .y = middle.y + kBaseline}, sign_of(mark), Face::kName, Anchor::kMiddle,
       mark);
}

void SvgCanvas::begin_group(std::string_view title) {
  elements_ += fmt::format("<g><title>{}</title>\n", html(title));
}

void SvgCanvas::end_group() { elements_ += "</g>\n"; }

std::string svg_style(std::string_view scope) {
  auto style = scope.empty() ? std::string(":root { color-scheme: light dark; }\n") : std::string();
  std::string dark;
  for (const auto& rule : kRules) {
    const auto selector = scoped(rule.selector, scope);
    style += fmt::format("{} {{ {} }}\n", selector, rule.light);
    if (!rule.dark.empty()) dark += fmt::format("{} {{ {} }}\n", selector, rule.dark);
  }
  return fmt::format("{}@media (prefers-color-scheme: dark) {{\n{}}}\n", style, dark);
}

}  // namespace spark::drawing
