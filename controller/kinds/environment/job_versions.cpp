#include "kinds/environment/job_versions.hpp"

#include <array>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace spark::kinds {

std::optional<LibraryVersion> LibraryVersion::parse(std::string_view text) {
  constexpr std::size_t kMaxDigits = 4;
  if (text.starts_with('v')) text.remove_prefix(1);
  std::array<std::uint32_t, 3> numbers{};
  std::size_t count = 0;
  while (count < numbers.size()) {
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, numbers[count]);
    const auto digits = static_cast<std::size_t>(stop - text.data());
    if (error != std::errc{} || digits > kMaxDigits) return std::nullopt;
    ++count;
    text.remove_prefix(digits);
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  // "2.30.7-1", "2.28.9+cuda13.0", "1.18.1rc2"
  const bool is_whole = count > 1 && (text.empty() || count == numbers.size() ||
                                      text.starts_with('-') || text.starts_with('+'));
  return is_whole ? std::optional(LibraryVersion{numbers[0], numbers[1], numbers[2]})
                  : std::nullopt;
}

std::string LibraryVersion::text() const { return fmt::format("{}.{}.{}", major, minor, patch); }

}  // namespace spark::kinds
