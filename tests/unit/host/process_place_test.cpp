#include "host/process_place.hpp"

#include <gtest/gtest.h>

namespace spark::host {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kTicks = 100;

TEST(ProcessPlaceText, HasParentAndStart) {
  EXPECT_EQ(
      parse_process_stat("4711 (python3) S 4700 4700 812 34816 4700 4194304 1 0 0 0 5 6 0 0 20 "
                         "0 9 0 123456 1 2 3\n",
                         kTicks),
      (ProcessPlace{.parent = 4700, .started = milliseconds(1'234'560)}));
}

TEST(ProcessPlaceText, AShellOfATerminalLeadsItsSession) {
  constexpr const char* kRest = " 0 4194304 1 0 0 0 5 6 0 0 20 0 1 0 100 1 2 3\n";
  const auto leads = [&](const std::string& head) {
    return parse_process_stat(head + kRest, kTicks)->leads_terminal;
  };
  EXPECT_TRUE(leads("812 (bash) S 811 812 812 34816"));
  EXPECT_FALSE(leads("812 (bash) S 811 812 812 0")) << "nobody types in it";
  EXPECT_FALSE(leads("813 (make) S 812 813 812 34816")) << "it was started there";
}

TEST(ProcessPlaceText, ANameMayHoldBlanksAndBrackets) {
  EXPECT_EQ(
      parse_process_stat("7 (a) b) (c) S 6 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 50 1\n", kTicks)
          ->parent,
      6U);
}

TEST(ProcessPlaceText, OfNoProcessIsNone) {
  EXPECT_FALSE(parse_process_stat("", kTicks));
  EXPECT_FALSE(parse_process_stat("7 (a) S 6 7 7\n", kTicks));
  EXPECT_FALSE(parse_process_stat("7 (a) S x 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 50 1\n", kTicks));
}

}  // namespace
}  // namespace spark::host
