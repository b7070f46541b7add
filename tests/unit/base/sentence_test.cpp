#include "base/sentence.hpp"

#include <concepts>
#include <string_view>

#include <gtest/gtest.h>

namespace spark {
namespace {

template <class T>
concept IsComparedOrParsed =
    std::equality_comparable<T> || std::equality_comparable_with<T, std::string> ||
    std::convertible_to<T, std::string> || std::convertible_to<T, std::string_view> ||
    requires(const T& value) { value == "text"; } || requires(const T& value) { value < value; } ||
    requires(const T& value) { value.find("text"); };
static_assert(IsComparedOrParsed<std::string>);
static_assert(!IsComparedOrParsed<Sentence>);
static_assert(!std::convertible_to<std::string, Sentence>);

TEST(Sentence, IsWrittenAsItIs) {
  EXPECT_EQ(written(Sentence("mtu: 1500")), "mtu: 1500");
  EXPECT_TRUE(Sentence().empty());
}

}  // namespace
}  // namespace spark
