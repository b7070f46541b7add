#include "host/linux/mount_table.hpp"

#include <gtest/gtest.h>

namespace spark::host {
namespace {

TEST(MountTable, ReadsALine) {
  const auto mounts = parse_mountinfo(
      "210 27 259:1 / /mnt/data rw,noatime shared:94 master:3 - ext4 /dev/nvme1n1 rw,stripe=4\n");
  ASSERT_TRUE(mounts);
  ASSERT_EQ(mounts->size(), 1U);
  EXPECT_EQ(mounts->front(), (MountInfo{.id = 210,
                                        .path = "/mnt/data",
                                        .device = "259:1",
                                        .source = "/dev/nvme1n1",
                                        .type = "ext4",
                                        .shared = 94,
                                        .master = 3,
                                        .writable = true,
                                        .options = {"noatime", "stripe=4"}}));
}

TEST(MountTable, SeesAFileSystemThatTurnedReadOnlyUnderAWritableMount) {
  const auto mounts = parse_mountinfo("210 27 259:1 / /mnt/data rw - ext4 /dev/nvme1n1 ro\n");
  ASSERT_TRUE(mounts);
  EXPECT_FALSE(mounts->front().writable);
}

TEST(MountTable, ReadsEscapesInPaths) {
  const auto mounts = parse_mountinfo("1 2 8:1 / /mnt/a\\040b\\134c rw - ext4 /dev/sda1 rw\n");
  ASSERT_TRUE(mounts);
  EXPECT_EQ(mounts->front().path, "/mnt/a b\\c");
}

TEST(MountTable, RefusesALineThatIsNone) {
  const auto mounts = parse_mountinfo("210 27 259:1 / /mnt/data rw ext4 /dev/nvme1n1 rw\n");
  ASSERT_FALSE(mounts);
  EXPECT_EQ(mounts.error().code, ErrorCode::kInvalid);
}

}  // namespace
}  // namespace spark::host
