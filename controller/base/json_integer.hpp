#pragma once
// integer_of: a whole number from JSON, checked; clamped: a time from JSON, with which one can
// count.

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

namespace spark {

template <std::integral T>
bool is_integer_of(const nlohmann::json& value) {
  return value.is_number_unsigned()
             ? std::in_range<T>(value.get<std::uint64_t>())
             : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
}

/// Only a number that T holds: get<T>() of 1e34 is undefined, and get<T>() of -1 may be another
/// number.
/// Throws: nlohmann::json::type_error, as get<T>() of a text does.
template <std::integral T>
T integer_of(const nlohmann::json& value) {
  if (!is_integer_of<T>(value)) {
    throw nlohmann::json::type_error::create(302, "not a whole number in its range", &value);
  }
  return value.get<T>();
}

/// A hundred million days either way at most (ECMA-262's range of times), so that sums fit.
inline std::chrono::milliseconds clamped(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kFarthest{8'640'000'000'000'000};
  return std::clamp(time, -kFarthest, kFarthest);
}

}  // namespace spark
