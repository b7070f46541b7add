#include <gtest/gtest.h>

#include "config/cages.hpp"

namespace spark::config {
namespace {

TEST(PathMtu, LeavesRoomForTheHeaders) {
  EXPECT_EQ(path_mtu_of(9000), 4096U);
  EXPECT_EQ(path_mtu_of(4192), 4096U);
  EXPECT_EQ(path_mtu_of(4191), 2048U);
  EXPECT_EQ(path_mtu_of(1500), 1024U);
  EXPECT_EQ(path_mtu_of(352), 256U);
  EXPECT_EQ(path_mtu_of(351), 0U);
  EXPECT_EQ(path_mtu_of(68), 0U);
}

}  // namespace
}  // namespace spark::config
