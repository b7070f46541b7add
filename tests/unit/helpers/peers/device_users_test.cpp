#include "helpers/peers/device_users.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::helpers {
namespace {

using ::testing::StartsWith;

constexpr const char* kDevice = "rocep1s0f0";

TEST(DeviceUsers, AJobIsSaidToBeThereAndNotWhich) {
  test::FakeHost fake;
  test::add_spark(fake);
  const auto job = [&] { return job_on(fake.rdma(), fake.processes(), kDevice); };
  EXPECT_EQ(job(), "");
  fake.processes().begin({.pid = 4711, .name = "python3", .user = "alice"});
  fake.processes().begin({.pid = 4712, .name = "spark-verbs-pro", .user = "spark-peers"});
  fake.rdma().set_users(kDevice, 2, 4712);
  EXPECT_EQ(job(), "") << "it is a probe";
  fake.rdma().set_users(kDevice, 2, 4711);
  EXPECT_EQ(job(), "a job uses rocep1s0f0");
  fake.processes().end(4711);
  EXPECT_EQ(job(), "a job uses rocep1s0f0");
  fake.rdma().hide_users();
  EXPECT_THAT(job(), StartsWith("who uses rocep1s0f0 cannot be read: "));
}

}  // namespace
}  // namespace spark::helpers
