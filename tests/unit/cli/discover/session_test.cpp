#include "cli/discover/session.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/input/help_text.hpp"
#include "protocol/discover.hpp"

namespace spark::cli {
namespace {

using ::testing::HasSubstr;

TEST(DiscoverSession, EndsWhenTheManualsSay) {
  EXPECT_EQ(protocol::kDiscoverTime, std::chrono::minutes(10));
  EXPECT_THAT(manual_of(*verb_named("init")).text, HasSubstr("At most 8 nodes, ten minutes;"));
  EXPECT_THAT(manual_of(*verb_named("join")).text, HasSubstr("It runs for ten minutes at most"));
}

}  // namespace
}  // namespace spark::cli
