#include "cli/topology/canvas.hpp"

#include "base/columns.hpp"
#include "base/text.hpp"

namespace spark::cli {

using drawing::Mark;

void Canvas::put(Spot at, std::string_view text, Tone tone) {
  if (rows_.size() <= at.y) rows_.resize(at.y + 1, std::vector<Cell>(width_));
  auto& row = rows_[at.y];
  for (auto x = at.x; !text.empty() && x < width_; ++x) {
    const auto point = decode_utf8(text);
    const auto size = point ? point->size : 1;
    const auto character = text.substr(0, size);
    // Names of the file are ASCII; anything else must not push the rest of its row aside.
    row[x] = {.character = columns(character) == 1 ? std::string(character) : "?", .tone = tone};
    text.remove_prefix(size);
  }
}

void Canvas::put_middle(Spot at, std::string_view text, Tone tone) {
  const auto half = columns(text) / 2;
  put({.x = at.x > half ? at.x - half : 0, .y = at.y}, text, tone);
}

void Canvas::put_before(Spot at, std::string_view text, Tone tone) {
  const auto size = columns(text);
  put({.x = at.x > size ? at.x - size : 0, .y = at.y}, text, tone);
}

std::string Canvas::text(const Terminal& terminal) const {
  std::string text;
  for (const auto& row : rows_) {
    auto end = row.size();
    while (end > 0 && row[end - 1].character == " ") --end;
    for (std::size_t at = 0; at < end;) {
      std::string run;
      const auto tone = row[at].tone;
      for (; at < end && row[at].tone == tone; ++at) run += row[at].character;
      text += terminal.paint(tone, run);
    }
    text += "\n";
  }
  return text;
}

Tone tone_of(Mark mark) {
  switch (mark) {
    case Mark::kNone:
      return Tone::kPlain;
    case Mark::kGood:
      return Tone::kGood;
    case Mark::kBad:
      return Tone::kBad;
    case Mark::kOpen:
    case Mark::kWaits:
      return Tone::kChange;
  }
  return Tone::kPlain;
}

bool is_broken(Mark mark) { return mark == Mark::kOpen || mark == Mark::kBad; }

Stroke cable_stroke(Mark mark) {
  if (is_broken(mark)) {
    return {.across = "╌",
            .down = "┊",
            .down_right = "┌",
            .down_left = "┐",
            .up_right = "└",
            .up_left = "┘",
            .from_bottom = "┬",
            .from_top = "┴",
            .tone = tone_of(mark)};
  }
  return {.across = "═",
          .down = "║",
          .down_right = "╔",
          .down_left = "╗",
          .up_right = "╚",
          .up_left = "╝",
          .from_bottom = "╥",
          .from_top = "╨",
          .tone = tone_of(mark)};
}

void put_box(Canvas& canvas, Spot at, std::size_t width, std::size_t height, Tone tone) {
  const auto right = at.x + width - 1;
  const auto bottom = at.y + height - 1;
  for (auto x = at.x + 1; x < right; ++x) {
    canvas.put({.x = x, .y = at.y}, "─", tone);
    canvas.put({.x = x, .y = bottom}, "─", tone);
  }
  for (auto y = at.y + 1; y < bottom; ++y) {
    canvas.put({.x = at.x, .y = y}, "│", tone);
    canvas.put({.x = right, .y = y}, "│", tone);
  }
  canvas.put(at, "┌", tone);
  canvas.put({.x = right, .y = at.y}, "┐", tone);
  canvas.put({.x = at.x, .y = bottom}, "└", tone);
  canvas.put({.x = right, .y = bottom}, "┘", tone);
}

}  // namespace spark::cli
