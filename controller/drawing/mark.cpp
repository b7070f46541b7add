#include "drawing/mark.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace spark::drawing {

namespace {

struct MarkRow {
  std::string_view style;
  std::string_view sign;
};

// In the order of the enumerators.
constexpr std::array kMarks{MarkRow{"", ""}, MarkRow{"good", "✓"}, MarkRow{"open", "?"},
                            MarkRow{"open", "…"}, MarkRow{"bad", "✗"}};

const MarkRow& row_of(Mark mark) { return kMarks.at(static_cast<std::size_t>(mark)); }

}  // namespace

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
