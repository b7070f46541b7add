#include "base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark {
namespace {

struct Unit {
  std::string_view text;
  std::uint64_t factor;
};

/// Most digits before the unit: with the largest factor of any table below, the product still
/// fits into 64 bits.
constexpr std::size_t kMostDigits = 6;

constexpr std::array kRateUnits{
    Unit{"M", 1'000'000},
    Unit{"G", 1'000'000'000},
    Unit{"T", 1'000'000'000'000},
};
constexpr std::array kTimeUnits{
    Unit{"ms", 1},
    Unit{"s", 1000},
    Unit{"m", 60'000},
    Unit{"h", 3'600'000},
};
/// How else people write a unit of time.
struct MeantUnit {
  std::string_view text;
  std::uint64_t factor;
  std::string_view unit;
};
constexpr std::array kMeantUnits{
    MeantUnit{"d", 24, "h"},      MeantUnit{"day", 24, "h"},   MeantUnit{"days", 24, "h"},
    MeantUnit{"w", 168, "h"},     MeantUnit{"week", 168, "h"}, MeantUnit{"weeks", 168, "h"},
    MeantUnit{"h", 1, "h"},       MeantUnit{"hr", 1, "h"},     MeantUnit{"hrs", 1, "h"},
    MeantUnit{"hour", 1, "h"},    MeantUnit{"hours", 1, "h"},  MeantUnit{"m", 1, "m"},
    MeantUnit{"min", 1, "m"},     MeantUnit{"mins", 1, "m"},   MeantUnit{"minute", 1, "m"},
    MeantUnit{"minutes", 1, "m"}, MeantUnit{"s", 1, "s"},      MeantUnit{"sec", 1, "s"},
    MeantUnit{"secs", 1, "s"},    MeantUnit{"second", 1, "s"}, MeantUnit{"seconds", 1, "s"},
};
constexpr std::array kSizeUnits{
    Unit{"KiB", std::uint64_t{1} << 10},
    Unit{"MiB", std::uint64_t{1} << 20},
    Unit{"GiB", std::uint64_t{1} << 30},
    Unit{"TiB", std::uint64_t{1} << 40},
};

/// Takes the digits off the head of `text`.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_ascii_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  const auto digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

/// Takes a whole number from 1 off the head of `text`.
std::optional<std::uint64_t> take_count(std::string_view& text) {
  const auto digits = take_digits(text);
  if (digits.size() > kMostDigits || digits == "0") return std::nullopt;
  return parse_decimal(digits);
}

template <std::size_t kSize>
std::optional<std::uint64_t> factor_of(std::string_view unit,
                                       const std::array<Unit, kSize>& units) {
  const auto found = std::ranges::find(units, unit, &Unit::text);
  if (found == units.end()) return std::nullopt;
  return found->factor;
}

}  // namespace

std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_bit_rate(std::string_view text) {
  const auto whole = take_count(text);
  if (!whole) return std::nullopt;
  std::uint64_t thousandths = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    std::string decimals(take_digits(text));
    if (decimals.empty() || decimals.size() > 3) return std::nullopt;
    decimals.resize(3, '0');
    static_cast<void>(  // three digits always convert
        std::from_chars(decimals.data(), decimals.data() + decimals.size(), thousandths));
  }
  for (const std::string_view suffix : {"bit/s", "b/s"}) {
    if (text.ends_with(suffix)) {
      text.remove_suffix(suffix.size());
      break;
    }
  }
  const auto factor = factor_of(text, kRateUnits);
  if (!factor) return std::nullopt;
  return *whole * *factor + thousandths * (*factor / 1000);
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto count = take_count(text);
  const auto factor = factor_of(text, kTimeUnits);
  if (!count || !factor) return std::nullopt;
  return std::chrono::milliseconds(*count * *factor);
}

std::string meant_duration(std::string_view text) {
  const auto lower = fold_blanks(ascii_lower(text));
  std::string_view rest = lower;
  const auto count = take_count(rest);
  if (!count) return {};
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) return fmt::format("{0}h or {0}m", *count);
  const auto found = std::ranges::find(kMeantUnits, rest, &MeantUnit::text);
  if (found != kMeantUnits.end()) return fmt::format("{}{}", *count * found->factor, found->unit);
  const bool has_hours = rest.starts_with('h');
  rest.remove_prefix(1);
  const auto minutes = take_count(rest);  // "1h30m"
  return has_hours && minutes && rest == "m" ? fmt::format("{}m", *count * 60 + *minutes)
                                             : std::string();
}

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  const auto count = take_count(text);
  const auto factor = factor_of(text, kSizeUnits);
  if (!count || !factor) return std::nullopt;
  return *count * *factor;
}

}  // namespace spark
