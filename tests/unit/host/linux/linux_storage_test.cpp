#include "host/linux/linux_storage.hpp"

#include <gtest/gtest.h>

#include "protocol/nvme.hpp"

namespace spark::host {
namespace {

TEST(NvmeAttempt, SaysHowLongAgoItWas) {
  const auto attempt =
      parse_attempt(R"({"at":100,"outcome":"failed","reason":"silent","what":"no answer"})", 107);
  ASSERT_TRUE(attempt);
  EXPECT_EQ(*attempt, (NvmeAttempt{.outcome = protocol::kFailed,
                                   .reason = protocol::kSilent,
                                   .what = "no answer",
                                   .seconds_ago = 7}));
}

TEST(NvmeAttempt, RefusesWhatIsCutOff) {
  EXPECT_FALSE(parse_attempt(R"({"at":100,"outc)", 107));
  EXPECT_FALSE(parse_attempt("", 107));
  EXPECT_FALSE(parse_attempt(R"({"at":"soon","outcome":"failed","reason":"","what":""})", 107));
}

TEST(SuperblockAnswer, RefusesHalfAnAnswer) {
  EXPECT_TRUE(parse_superblock(R"({"errno":0,"type":"ext4","clean":true,"mmp":false,"mounts":3,
                                   "mounted_at":7,"uuid":"00"})"));
  EXPECT_FALSE(parse_superblock(R"({"errno":0,"type":"ext4"})"));
}

TEST(Offers, AreAnErrorWhenTheTargetWasNotReached) {
  const auto offers =
      parse_offers(R"({"offers":[],"reason":"port_closed","what":"192.0.2.1 refuses"})");
  ASSERT_FALSE(offers);
  EXPECT_EQ(offers.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(offers.error().what, "192.0.2.1 refuses");
}

}  // namespace
}  // namespace spark::host
