#include "host/processes.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "base/units.hpp"

namespace spark::host {
namespace {

/// The word at the head of `text`, which is then without it.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto word = text.substr(0, text.find_first_of(" \n"));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> parse_limit(std::string_view word) {
  return word == "unlimited" ? std::optional(kUnlimited) : parse_decimal(word);
}

}  // namespace

std::optional<MemlockLimit> parse_memlock_limit(std::string_view limits) {
  constexpr std::string_view kName = "Max locked memory";
  const auto start = limits.find(kName);
  if (start == std::string_view::npos) return std::nullopt;
  auto rest = limits.substr(start + kName.size());
  const auto soft = parse_limit(take_word(rest));
  const auto hard = parse_limit(take_word(rest));
  return soft && hard ? std::optional(MemlockLimit{*soft, *hard}) : std::nullopt;
}

std::string_view unit_of_group(std::string_view path) {
  for (const auto part : std::views::split(path, '/')) {
    const std::string_view name(part.begin(), part.end());
    if (name.ends_with(".service") || name.ends_with(".scope")) return name;
  }
  return {};
}

std::string memlock_text(std::uint64_t bytes) {
  if (bytes == kUnlimited) return "unlimited";
  constexpr std::uint64_t kKibi = 1024;
  constexpr std::array<std::string_view, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  std::string_view unit = "bytes";
  for (const auto next : kUnits) {
    if (bytes == 0 || bytes % kKibi != 0) break;
    bytes /= kKibi;
    unit = next;
  }
  return fmt::format("{} {}", bytes, unit);
}

}  // namespace spark::host
