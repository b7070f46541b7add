#pragma once
// Quantities as people write them: "200G", "64Gb/s", "20s", "16GiB". Each form is exact: what it
// does not know is refused, never guessed.

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace spark {

/// All of the text as std::from_chars takes it. Empty: it is anything else, or too large.
template <class Number>
std::optional<Number> number_in(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

/// Decimal digits without a sign, without leading zeros. Empty when it is not that, or too large.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

/// Bits a second: a number, at most three decimals, M, G or T (powers of 1000), then nothing,
/// "b/s" or "bit/s".
std::optional<std::uint64_t> parse_bit_rate(std::string_view text);

/// A whole number and ms, s, m or h.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// What may be meant by a text that is no duration, as parse_duration takes it: "48h" for "2d",
/// "2h or 2m" for "2". Empty: nothing is known.
std::string meant_duration(std::string_view text);

/// Bytes: a whole number and KiB, MiB, GiB or TiB.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace spark
