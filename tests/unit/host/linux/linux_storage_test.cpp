#include "host/linux/linux_storage.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "protocol/nvme.hpp"

namespace spark::host {
namespace {

/// The machine's NVMe targets, if it has any; what our connections leave is none.
class AwaitNvme : public testing::Test {
 protected:
  test::FakeHost host_;
  LinuxStorage storage_{host_.files(), "/"};
};

TEST_F(AwaitNvme, EndsWithTheFirstLookWhereThatIsEnough) {
  int looks = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto world =
      storage_.await_nvme([&](const NvmeWorld&) { return ++looks > 0; }, std::chrono::minutes(1));
  ASSERT_TRUE(world) << world.error().what;
  EXPECT_EQ(looks, 1);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST_F(AwaitNvme, EndsAtItsDeadlineWithWhatItReadLast) {
  constexpr std::chrono::milliseconds kDeadline{30};
  const auto start = std::chrono::steady_clock::now();
  const auto world = storage_.await_nvme([](const NvmeWorld&) { return false; }, kDeadline);
  ASSERT_TRUE(world) << world.error().what;
  EXPECT_GE(std::chrono::steady_clock::now() - start, kDeadline);
}

TEST_F(AwaitNvme, FailsWhereNothingCanBeRead) {
  host_.make_unreadable(protocol::kNvmeFolder);
  EXPECT_FALSE(
      storage_.await_nvme([](const NvmeWorld&) { return true; }, std::chrono::milliseconds(30)));
}

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
