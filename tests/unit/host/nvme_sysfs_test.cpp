#include "host/nvme_sysfs.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "fake/temporary_folder.hpp"

namespace spark::host {
namespace {

namespace fs = std::filesystem;

/// A sysfs of the test's own.
class NvmeSysfs : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }

  void add_controller(const std::string& name, const std::string& transport,
                      const std::string& address, const std::string& state = "live") {
    const auto path = "class/nvme/" + name;
    put(path + "/transport", transport);
    put(path + "/subsysnqn", "nqn.2014-08.org.example:data");
    put(path + "/address", address);
    put(path + "/state", state);
    put(path + "/ctrl_loss_tmo", "off");
    put(path + "/hostnqn", "nqn.2014-08.org.example:host");
  }

  void add_block(const std::string& name, const std::string& nsid) {
    put("block/" + name + "/nsid", nsid);
    put("block/" + name + "/dev", "259:" + nsid);
    put("block/" + name + "/wwid", "uuid.00000000-0000-4000-8000-00000000000A");
    put("block/" + name + "/uuid", "00000000-0000-4000-8000-00000000000A");
  }

  std::string sys() const { return root_.string(); }

  test::TemporaryFolder temporary_;
  fs::path root_ = temporary_.path();
};

TEST_F(NvmeSysfs, ReadsAConnectionAndLeavesLocalDisksOut) {
  add_controller("nvme0", "pcie", "0004:01:00.0");
  add_controller("nvme1", "tcp", "traddr=192.0.2.1,trsvcid=4420,host_iface=eth0,src_addr=192.0.2.2",
                 "connecting");
  const auto controllers = read_nvme_controllers(sys());
  ASSERT_EQ(controllers.size(), 1U);
  EXPECT_EQ(controllers.front(), (NvmeController{.name = "nvme1",
                                                 .nqn = "nqn.2014-08.org.example:data",
                                                 .transport = "tcp",
                                                 .state = "connecting",
                                                 .address = "192.0.2.1",
                                                 .port = "4420",
                                                 .via = "eth0",
                                                 .source = "192.0.2.2",
                                                 .host_nqn = "nqn.2014-08.org.example:host",
                                                 .forever = true}));
}

TEST_F(NvmeSysfs, FindsVolumesWithNativeMultipath) {
  add_controller("nvme3", "tcp", "traddr=192.0.2.1,trsvcid=4420");
  put("class/nvme-subsystem/nvme-subsys3/subsysnqn", "nqn.2014-08.org.example:data");
  fs::create_directories(root_ / "class/nvme-subsystem/nvme-subsys3/nvme3");
  fs::create_directories(root_ / "class/nvme-subsystem/nvme-subsys3/nvme3n2");
  fs::create_directories(root_ / "class/nvme-subsystem/nvme-subsys3/ng3n2");
  fs::create_directories(root_ / "class/nvme/nvme3/nvme3c3n2");
  add_block("nvme3n2", "1");
  put("fs/ext4/nvme3n2/errors_count", "4");
  fs::create_directories(root_ / "block/nvme3n2/holders/dm-0");
  const auto spaces = read_nvme_namespaces(sys());
  ASSERT_EQ(spaces.size(), 1U);
  EXPECT_EQ(spaces.front(), (NvmeNamespace{.name = "nvme3n2",
                                           .nqn = "nqn.2014-08.org.example:data",
                                           .nsid = 1,
                                           .wwid = "uuid.00000000-0000-4000-8000-00000000000A",
                                           .uuid = "00000000-0000-4000-8000-00000000000a",
                                           .device = "259:1",
                                           .holders = {"dm-0"},
                                           .ext4_errors = 4}));
}

TEST_F(NvmeSysfs, FindsVolumesWithoutNativeMultipath) {
  add_controller("nvme3", "tcp", "traddr=192.0.2.1,trsvcid=4420");
  put("class/nvme-subsystem/nvme-subsys3/subsysnqn", "nqn.2014-08.org.example:data");
  fs::create_directories(root_ / "class/nvme-subsystem/nvme-subsys3/nvme3");
  fs::create_directories(root_ / "class/nvme/nvme3/nvme3n1");
  add_block("nvme3n1", "1");
  const auto spaces = read_nvme_namespaces(sys());
  ASSERT_EQ(spaces.size(), 1U);
  EXPECT_EQ(spaces.front().name, "nvme3n1");
  EXPECT_EQ(spaces.front().ext4_errors, std::nullopt);
}

TEST_F(NvmeSysfs, LeavesTheDisksOfThisMachineOut) {
  add_controller("nvme0", "pcie", "0004:01:00.0");
  put("class/nvme-subsystem/nvme-subsys0/subsysnqn", "nqn.2014-08.org.example:disk");
  fs::create_directories(root_ / "class/nvme-subsystem/nvme-subsys0/nvme0");
  fs::create_directories(root_ / "class/nvme-subsystem/nvme-subsys0/nvme0n1");
  add_block("nvme0n1", "1");
  EXPECT_TRUE(read_nvme_namespaces(sys()).empty());
}

TEST_F(NvmeSysfs, HasNoneWithoutTheKernelsModule) {
  EXPECT_TRUE(read_nvme_controllers(sys()).empty());
  EXPECT_TRUE(read_nvme_namespaces(sys()).empty());
}

TEST(NvmeState, IsLiveWhileOnePathIs) {
  const std::vector<NvmeController> controllers{
      {.name = "nvme1", .nqn = "a", .state = "connecting"},
      {.name = "nvme2", .nqn = "a", .state = "live"},
      {.name = "nvme3", .nqn = "b", .state = "connecting"}};
  EXPECT_EQ(state_of(controllers, "a"), "live");
  EXPECT_EQ(state_of(controllers, "b"), "connecting");
  EXPECT_EQ(state_of(controllers, "c"), "");
}

}  // namespace
}  // namespace spark::host
