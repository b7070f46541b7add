#pragma once
// Canvas: a picture of characters, each of one column and in a tone.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.hpp"
#include "drawing/mark.hpp"

namespace spark::cli {

/// Columns from the left, rows from the top.
struct Spot {
  std::size_t x = 0;
  std::size_t y = 0;
};

class Canvas {
 public:
  explicit Canvas(std::size_t width) : width_(width) {}

  /// What is beyond the right edge is left out; rows are added below as needed.
  void put(Spot at, std::string_view text, Tone tone = Tone::kPlain);
  /// The middle of the text is at that spot.
  void put_middle(Spot at, std::string_view text, Tone tone = Tone::kPlain);
  /// The text ends before that spot.
  void put_before(Spot at, std::string_view text, Tone tone = Tone::kPlain);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t height() const { return rows_.size(); }
  /// The rows without the blanks at their ends.
  [[nodiscard]] std::string text(const Terminal& terminal) const;

 private:
  struct Cell {
    std::string character = " ";
    Tone tone = Tone::kPlain;
  };

  std::size_t width_;
  std::vector<std::vector<Cell>> rows_;
};

/// The characters of a line that is drawn, and its tone: what is wrong or not proven is
/// thin and broken.
struct Stroke {
  std::string_view across;
  std::string_view down;
  // Corners, by the two sides that they open to.
  std::string_view down_right;
  std::string_view down_left;
  std::string_view up_right;
  std::string_view up_left;
  // Where it leaves a box through a border.
  std::string_view from_bottom;
  std::string_view from_top;
  Tone tone = Tone::kPlain;
};

/// Whether a cable of that mark is drawn so.
bool is_broken(drawing::Mark mark);
Stroke cable_stroke(drawing::Mark mark);

Tone tone_of(drawing::Mark mark);

/// A box of `width` and `height`, in single lines.
void put_box(Canvas& canvas, Spot at, std::size_t width, std::size_t height, Tone tone);

}  // namespace spark::cli
