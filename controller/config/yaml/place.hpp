#pragma once
// Where, At: places in the cluster file, and values with the place that asks for them.

#include <compare>

namespace spark::config {

/// A place in the file, both numbers from 1. Line 0: nobody wrote it, it is a default or derived.
struct Where {
  int line = 0;
  int column = 0;
  auto operator<=>(const Where&) const = default;
};

/// A value with the place that asks for it.
template <class T>
struct At {
  T value{};
  Where where;
  /// The place does not take part: two files that ask for the same thing are equal.
  bool operator==(const At& other) const { return value == other.value; }
};

}  // namespace spark::config
