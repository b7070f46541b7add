#pragma once
// TypesOf and KindName: a typed test for every kind, under the kind's own name.

#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace spark::test {

/// The types of a tuple, as TYPED_TEST_SUITE takes them.
template <class Tuple>
struct TypesOf;
template <class... Kinds>
struct TypesOf<std::tuple<Kinds...>> {
  using Types = testing::Types<Kinds...>;
};

struct KindName {
  template <class K>
  static std::string GetName(int /*index*/) {
    return std::string(K::kName);
  }
};

}  // namespace spark::test
