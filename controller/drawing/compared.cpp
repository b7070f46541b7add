#include "drawing/compared.hpp"

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

}  // namespace spark::drawing
