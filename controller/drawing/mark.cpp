#include "drawing/mark.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace spark::drawing {

std::string_view name_of(Change change) {
  constexpr std::array<std::string_view, 4> kNames{"same", "added", "removed", "changed"};
  return kNames.at(static_cast<std::size_t>(change));
}

std::string_view sign_of(Change change) {
  constexpr std::array<std::string_view, 4> kSigns{"", "+", "-", "~"};
  return kSigns.at(static_cast<std::size_t>(change));
}

Change Compared::change() const {
  if (now == was) return Change::kSame;
  if (was.empty()) return Change::kAdded;
  return now.empty() ? Change::kRemoved : Change::kChanged;
}

std::string Compared::with_was() const {
  const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  return now == was ? now : fmt::format("{} (was {})", or_none(now), or_none(was));
}

namespace {

struct MarkRow {
  std::string_view style;
  std::string_view sign;
};

// In the order of the enumerators.
constexpr std::array kMarks{MarkRow{"", ""},         MarkRow{"added", "+"}, MarkRow{"removed", "-"},
                            MarkRow{"changed", "~"}, MarkRow{"good", "✓"},  MarkRow{"open", "?"},
                            MarkRow{"open", "…"},    MarkRow{"bad", "✗"}};

const MarkRow& row_of(Mark mark) { return kMarks.at(static_cast<std::size_t>(mark)); }

}  // namespace

Mark mark_of(Change change) { return static_cast<Mark>(change); }

std::string_view class_of(Mark mark) { return row_of(mark).style; }

std::string_view sign_of(Mark mark) { return row_of(mark).sign; }

Live worst_of(const std::vector<Live>& rails) {
  const auto worst = std::ranges::max_element(rails, {}, &Live::mark);
  return worst == rails.end() ? Live{} : *worst;
}

std::string signed_text(Mark mark, std::string_view text) {
  const auto sign = sign_of(mark);
  return fmt::format("{}{}{}", sign, sign.empty() ? "" : " ", text);
}

}  // namespace spark::drawing
