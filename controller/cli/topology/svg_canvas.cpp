#include "cli/topology/svg_canvas.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/columns.hpp"
#include "base/html.hpp"

namespace spark::cli {
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

/// "cable", "cable added".
std::string classes(std::string_view style, Change change) {
  const auto more = class_of(change);
  return fmt::format("{}{}{}", style, more.empty() ? "" : " ", more);
}

}  // namespace

int width_of_text(std::string_view text, Face face) {
  return static_cast<int>(static_cast<double>(columns(text)) * row_of(face).advance) + 1;
}

std::string_view class_of(Change change) {
  return change == Change::kSame ? std::string_view() : name_of(change);
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

void SvgCanvas::rect(const Area& area, std::string_view style, Change change) {
  elements_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="8" class="{}"/>)"
                           "\n",
                           area.x, area.y, area.width, area.height, classes(style, change));
  cover(area);
}

void SvgCanvas::text(Point at, std::string_view content, Face face, Anchor anchor, Change change) {
  constexpr std::array<std::string_view, 3> kAnchors{"", R"( text-anchor="middle")",
                                                     R"( text-anchor="end")"};
  const auto& row = row_of(face);
  elements_ += fmt::format(R"(<text x="{}" y="{}"{} class="{}">{}</text>)"
                           "\n",
                           at.x, at.y, kAnchors.at(static_cast<std::size_t>(anchor)),
                           classes(row.style, change), html(content));
  const auto width = width_of_text(content, face);
  const auto left = anchor == Anchor::kStart ? 0 : anchor == Anchor::kMiddle ? width / 2 : width;
  cover({.x = at.x - left, .y = at.y - row.height, .width = width, .height = row.height + 4});
}

void SvgCanvas::path(std::string_view data, const Area& covered, std::string_view style,
                     Change change) {
  elements_ += fmt::format(R"(<path d="{}" class="{}"/>)"
                           "\n",
                           data, classes(style, change));
  cover(covered);
}

void SvgCanvas::badge(Point middle, Change change) {
  if (change == Change::kSame) return;
  constexpr int kRadius = 11;
  constexpr int kBaseline = 5;
  elements_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" class="badge {}"/>)"
                           "\n",
                           middle.x, middle.y, kRadius, class_of(change));
  // The minus sign is as wide as the plus; a hyphen is easily overlooked.
  text({.x = middle.x, .y = middle.y + kBaseline},
       change == Change::kRemoved ? "−" : sign_of(change), Face::kName, Anchor::kMiddle, change);
}

void SvgCanvas::begin_group(std::string_view title) {
  elements_ += fmt::format("<g><title>{}</title>\n", html(title));
}

void SvgCanvas::end_group() { elements_ += "</g>\n"; }

std::string_view svg_style() {
  // Colours stand in full and not as variables: drawing programs know no variables. The background
  // is drawn, since a page may be light where the system is dark.
  return R"(:root { color-scheme: light dark; }
text { font-family: system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-size: 12px; fill: #1b1f24; }
.title { font-size: 18px; font-weight: 600; }
.name { font-size: 15px; font-weight: 600; }
.quiet { font-size: 11px; fill: #5b6570; }
.address { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; }
.page { fill: #f6f7f8; }
.node { fill: #ffffff; stroke: #aab3bc; stroke-width: 1.5; }
.cage { fill: #eef1f4; stroke: #aab3bc; }
.unused { fill: none; stroke: #c5ccd3; stroke-dasharray: 2 3; }
.switch { fill: #dfe5ea; stroke: #6b7580; stroke-width: 1.5; }
.cable { fill: none; stroke: #6b7580; stroke-width: 5; stroke-linecap: round; }
.trunk { fill: none; stroke: #6b7580; stroke-width: 3; }
.badge { fill: #f6f7f8; stroke-width: 2; }
.added { stroke: #1a7340; }
.removed { stroke: #b3261e; stroke-dasharray: 3 8; }
.changed { stroke: #8a5300; stroke-dasharray: 16 8; }
.cable.added { stroke-width: 8; }
.badge.added, .badge.removed, .badge.changed { stroke-dasharray: none; }
text.added { fill: #1a7340; stroke: none; }
text.removed { fill: #b3261e; stroke: none; }
text.changed { fill: #8a5300; stroke: none; }
@media (prefers-color-scheme: dark) {
text { fill: #e4e8ec; }
.quiet { fill: #9aa5b1; }
.page { fill: #111418; }
.node { fill: #191d22; stroke: #5a646e; }
.cage { fill: #222831; stroke: #5a646e; }
.unused { fill: none; stroke: #3f4852; }
.switch { fill: #2a323b; stroke: #8a949e; }
.cable, .trunk { stroke: #8a949e; }
.badge { fill: #111418; }
.added { stroke: #5fcb8b; }
.removed { stroke: #ff8a80; }
.changed { stroke: #e8b455; }
text.added { fill: #5fcb8b; }
text.removed { fill: #ff8a80; }
text.changed { fill: #e8b455; }
}
)";
}

}  // namespace spark::cli
