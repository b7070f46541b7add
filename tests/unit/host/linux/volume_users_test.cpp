#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "fake/temporary_folder.hpp"
#include "host/linux/mount_table.hpp"

namespace spark::host {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// A /proc of the test's own. Its links lead nowhere, as those to files of a lost volume.
class VolumeUsers : public testing::Test {
 protected:
  VolumeUsers() {
    fs::create_directories(root_ / "self/ns");
    fs::create_symlink("mnt:[1]", root_ / "self/ns/mnt");
  }

  fs::path add_process(const std::string& id, const std::string& comm,
                       const std::string& space = "mnt:[1]") {
    const auto path = root_ / id;
    fs::create_directories(path / "fd");
    fs::create_directories(path / "ns");
    fs::create_symlink(space, path / "ns/mnt");
    std::ofstream(path / "comm") << comm << "\n";
    return path;
  }

  std::vector<std::string> users() {
    return find_volume_users(root_.string(), "/mnt/data", "259:3");
  }

  test::TemporaryFolder temporary_;
  fs::path root_ = temporary_.path();
};

TEST_F(VolumeUsers, NamesAProcessWithAFileBelowThePath) {
  fs::create_symlink("/mnt/data/model.bin", add_process("812", "dd") / "fd/3");
  EXPECT_THAT(users(), ElementsAre("process 812 (dd): an open file"));
}

TEST_F(VolumeUsers, NamesAProcessThatStandsThere) {
  fs::create_symlink("/mnt/data", add_process("812", "bash") / "cwd");
  EXPECT_THAT(users(), ElementsAre("process 812 (bash): its working directory"));
}

TEST_F(VolumeUsers, NamesAMappedFile) {
  std::ofstream(add_process("812", "python3") / "maps")
      << "7f00-7f01 r--s 00000000 103:03 12 /mnt/data/weights\n";
  EXPECT_THAT(users(), ElementsAre("process 812 (python3): a mapped file"));
}

TEST_F(VolumeUsers, NamesAnotherMountNamespaceOnce) {
  for (const auto* id : {"900", "901"}) {
    std::ofstream(add_process(id, "jupyter", "mnt:[2]") / "mountinfo")
        << "50 1 259:3 / /data rw - ext4 /dev/nvme1n1 rw\n";
  }
  EXPECT_THAT(users(), ElementsAre("process 900 (jupyter): a mount in its own mount namespace, as "
                                   "a container's"));
}

TEST_F(VolumeUsers, LeavesOutANamespaceThatFollowsOurs) {
  std::ofstream(root_ / "self/mountinfo")
      << "210 27 259:3 / /mnt/data rw shared:94 - ext4 /dev/nvme1n1 rw\n";
  std::ofstream(add_process("900", "systemd-logind", "mnt:[2]") / "mountinfo")
      << "50 1 259:3 / /mnt/data rw master:94 - ext4 /dev/nvme1n1 rw\n";
  EXPECT_TRUE(users().empty());
}

TEST_F(VolumeUsers, LeavesOutThePathThatOnlyBeginsAlike) {
  fs::create_symlink("/mnt/data2/file", add_process("812", "dd") / "fd/3");
  EXPECT_TRUE(users().empty());
}

}  // namespace
}  // namespace spark::host
