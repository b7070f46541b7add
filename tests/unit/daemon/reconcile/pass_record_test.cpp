#include "daemon/reconcile/pass_record.hpp"

#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

TEST(PassRecord, KeepsWhatIsSoUntilItIsFoundOtherwise) {
  PassRecord record("0", [] { return Moment{}; });
  auto first = record.begin({.triggers = {{"test", 1}, {"overrun", 2}}});
  first.found.paused.emplace();
  first.found.node = "spark1";
  first.found.loss = StateLoss{.at = {}, .what = "gone"};
  first.error = "unreadable";
  record.end(first, {});
  EXPECT_TRUE(record.between().found.paused) << "no pass has ended it";
  const auto second = record.begin({});
  EXPECT_FALSE(second.found.paused) << "each pass asks again";
  EXPECT_EQ(second.found.node, "spark1");
  EXPECT_TRUE(second.found.loss);
  EXPECT_EQ(record.counters().failed_passes, 1U);
  EXPECT_EQ(record.counters().resyncs, 2U);
}

}  // namespace
}  // namespace spark::daemon
