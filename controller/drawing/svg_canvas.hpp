#pragma once
// SvgCanvas: the elements of a drawing, and how much room they take.

#include <string>
#include <string_view>

#include "drawing/mark.hpp"

namespace spark::drawing {

/// Pixels, from any origin.
struct Point {
  int x = 0;
  int y = 0;
};

struct Area {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  [[nodiscard]] int right() const { return x + width; }
  [[nodiscard]] int bottom() const { return y + height; }
};

/// Which side of its place a text is on.
enum class Anchor : unsigned char { kStart, kMiddle, kEnd };

/// How a text looks: the sizes are those of the style sheet.
enum class Face : unsigned char { kTitle, kName, kPlain, kQuiet, kAddress };

/// About how wide a text becomes. Fonts differ: nothing may depend on a few pixels.
int width_of_text(std::string_view text, Face face);

class SvgCanvas {
 public:
  void rect(const Area& area, std::string_view style, Mark mark = Mark::kNone);
  /// Text of the file is escaped here.
  void text(Point at, std::string_view content, Face face, Anchor anchor = Anchor::kStart,
            Mark mark = Mark::kNone);
  /// `data` is a path; `covered` is where it goes.
  void path(std::string_view data, const Area& covered, std::string_view style, Mark mark);
  /// Its sign in a circle; nothing where there is none.
  void badge(Point middle, Mark mark);

  /// A group with a text that is shown when somebody points at it.
  void begin_group(std::string_view title);
  void end_group();

  [[nodiscard]] const Area& covered() const { return covered_; }
  [[nodiscard]] const std::string& elements() const { return elements_; }

 private:
  void cover(const Area& area);

  std::string elements_;
  Area covered_;
};

/// The rules of a style sheet. `scope`: ".map" where they hold inside such an element alone; empty:
/// in the whole document.
std::string svg_style(std::string_view scope);

}  // namespace spark::drawing
