#include "host/linux/rdma/linux_rdma.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace spark::host {
namespace {

TEST(LinuxRdma, WaitsForNoGidOfADeviceThatIsNotThere) {
  const auto start = std::chrono::steady_clock::now();
  const auto came = LinuxRdma().await_gid("no-such-device", 1, *IpAddress::parse("192.0.2.1"),
                                          "eth0", std::chrono::minutes(1));
  ASSERT_FALSE(came);
  EXPECT_EQ(came.error().code, ErrorCode::kNotFound);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace spark::host
