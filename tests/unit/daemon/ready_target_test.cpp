#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/sd_notify.hpp"
#include "fake/fake_host.hpp"

namespace spark::daemon {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kMark = "/run/spark-reconcile/ready";

class ReadyTargetTest : public testing::Test {
 protected:
  auto follow(gate::Verdict verdict, seconds boot) {
    return target_.follow(ports_, verdict, {.wall = {}, .boot = boot});
  }

  test::FakeHost host_;
  host::Host ports_ = host_.host();
  ReadyTarget target_;
};

TEST_F(ReadyTargetTest, IsStartedOnceWhenTheGateOpens) {
  EXPECT_FALSE(follow(gate::Verdict::kReady, seconds(100)));
  EXPECT_FALSE(follow(gate::Verdict::kReady, seconds(160)));
  EXPECT_THAT(host_.written(),
              ElementsAre(HasSubstr(kMark), HasSubstr("start 'spark-ready.target")));
}

TEST_F(ReadyTargetTest, OutlivesAShortLossOfReadiness) {
  follow(gate::Verdict::kReady, seconds(100));
  host_.forget_writes();
  EXPECT_EQ(follow(gate::Verdict::kNotReady, seconds(200)), seconds(10));
  EXPECT_EQ(follow(gate::Verdict::kWaiting, seconds(206)), seconds(4));
  EXPECT_FALSE(follow(gate::Verdict::kReady, seconds(207)));
  EXPECT_EQ(follow(gate::Verdict::kNotReady, seconds(300)), seconds(10));
  EXPECT_THAT(host_.written(), IsEmpty());
  EXPECT_FALSE(follow(gate::Verdict::kNotReady, seconds(310)));
  EXPECT_THAT(host_.written(),
              ElementsAre(HasSubstr("stop 'spark-ready.target"), HasSubstr(kMark)));
}

TEST_F(ReadyTargetTest, IsStoppedAfterARestartToo) {
  follow(gate::Verdict::kReady, seconds(100));
  host_.forget_writes();
  target_ = ReadyTarget();
  EXPECT_EQ(follow(gate::Verdict::kUnknown, seconds(110)), seconds(10));
  follow(gate::Verdict::kUnknown, seconds(120));
  EXPECT_THAT(host_.written(),
              ElementsAre(HasSubstr("stop 'spark-ready.target"), HasSubstr(kMark)));
}

TEST_F(ReadyTargetTest, WhoWaitsForItAtBootGoesOnWaiting) {
  EXPECT_FALSE(follow(gate::Verdict::kWaiting, seconds(20)));
  EXPECT_FALSE(follow(gate::Verdict::kNotReady, seconds(80)));
  EXPECT_THAT(host_.written(), IsEmpty());
}

}  // namespace
}  // namespace spark::daemon
