#include "host/linux/linux_hardware.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/temporary_folder.hpp"

namespace spark::host {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

/// A machine's /sys, /proc and /etc in a directory of its own, as the kernel lays them out.
class LinuxHardwareTest : public testing::Test {
 protected:
  LinuxHardwareTest() {
    fs::create_directories(root_ / "sys/class/net");
    fs::create_directories(root_ / "sys/bus/pci/drivers/mlx5_core");
    put("proc/cmdline", "quiet kho=off\n");
  }

  void put(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  /// A network device on a PCI function.
  fs::path add_port(const std::string& link, const std::string& address) {
    const fs::path function = "sys/devices/pci0000:00/" + address;
    put(function / "current_link_speed", "32.0 GT/s PCIe\n");
    put(function / "max_link_speed", "32.0 GT/s PCIe\n");
    put(function / "current_link_width", "2\n");
    put(function / "max_link_width", "4\n");
    fs::create_directory_symlink(root_ / "sys/bus/pci", root_ / function / "subsystem");
    fs::create_directory_symlink(root_ / "sys/bus/pci/drivers/mlx5_core",
                                 root_ / function / "driver");
    put(function / "net" / link / "speed", "200000\n");
    fs::create_directory_symlink(root_ / function, root_ / function / "net" / link / "device");
    fs::create_directory_symlink(root_ / function / "net" / link, root_ / "sys/class/net" / link);
    return function;
  }

  HardwareFacts look() { return LinuxHardware(root_.string()).look().value(); }

  test::TemporaryFolder temporary_;
  fs::path root_ = temporary_.path();
};

TEST_F(LinuxHardwareTest, ReadsWhatThePortTells) {
  const auto function = add_port("enp1s0f0np0", "0000:01:00.0");
  put(function / "iommu_group/type", "identity\n");
  put(function / "hwmon/hwmon3/temp1_input", "45000\n");
  put(function / "hwmon/hwmon3/temp1_label", "asic\n");
  put(function / "hwmon/hwmon3/temp2_input", "68000\n");
  put(function / "infiniband/rocep1s0f0/fw_ver", "28.45.4028\n");
  put(function / "infiniband/rocep1s0f0/board_id", "NVD0000000087\n");
  put(function / "infiniband/rocep1s0f0/ports/1/counters/link_downed", "2\n");
  put(function / "infiniband/rocep1s0f0/ports/1/hw_counters/out_of_sequence", "7\n");
  put("etc/nvidia/cx7-hotplug-enabled", "");

  const auto facts = look();
  EXPECT_EQ(facts.command_line, "quiet kho=off");
  EXPECT_TRUE(facts.cable_hotplug);
  ASSERT_THAT(facts.links, SizeIs(1));
  const auto& port = facts.links.front();
  EXPECT_EQ(port.link, "enp1s0f0np0");
  EXPECT_EQ(port.driver, "mlx5_core");
  EXPECT_EQ(port.pci_address, "0000:01:00.0");
  EXPECT_EQ(port.pcie, (PcieLink{"32.0 GT/s PCIe", "32.0 GT/s PCIe", 2, 4}));
  EXPECT_EQ(port.speed, 200'000U);
  EXPECT_EQ(port.firmware, "28.45.4028 (NVD0000000087)");
  EXPECT_EQ(port.iommu, "identity");
  EXPECT_THAT(port.temperatures, ElementsAre(Pair("asic", 45'000), Pair("temp2", 68'000)));
  EXPECT_THAT(port.counters, ElementsAre(Pair("link_downed", 2U), Pair("out_of_sequence", 7U)));
}

TEST_F(LinuxHardwareTest, WhatIsNotToldIsEmpty) {
  const auto function = add_port("enp1s0f0np0", "0000:01:00.0");
  put("sys/class/net/enp1s0f0np0/speed", "-1\n");
  fs::remove(root_ / function / "current_link_width");
  const auto facts = look();
  EXPECT_FALSE(facts.cable_hotplug);
  ASSERT_THAT(facts.links, SizeIs(1));
  const auto& port = facts.links.front();
  EXPECT_EQ(port.speed, std::nullopt);
  EXPECT_EQ(port.pcie, std::nullopt);
  EXPECT_EQ(port.firmware, "");
  EXPECT_EQ(port.pause, std::nullopt) << "no such device in this kernel";
  EXPECT_THAT(port.counters, IsEmpty());
}

TEST_F(LinuxHardwareTest, ReadsWhatIsOfTheNode) {
  put("proc/sys/kernel/osrelease", "6.14.0-1015-nvidia\n");
  put("proc/meminfo",
      "MemTotal:       127000000 kB\nCmaTotal:          65536 kB\n"
      "CmaFree:          120000 kB\n");
  put("etc/dgx-release",
      "DGX_NAME=\"DGX Spark\"\nDGX_SWBUILD_VERSION=\"7.2.3\"\n"
      "DGX_OTA_VERSION=\"7.5.0\"\n");
  put("proc/driver/nvidia/version",
      "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build\n");
  const auto facts = look();
  EXPECT_EQ(facts.kernel, "6.14.0-1015-nvidia");
  EXPECT_EQ(facts.cma_total_kib, 65'536U);
  EXPECT_EQ(facts.cma_free_kib, 120'000U);
  EXPECT_EQ(facts.dgx_os, "7.5.0");
  EXPECT_EQ(facts.gpu_driver, "580.95.05");
}

TEST_F(LinuxHardwareTest, AnImageWithoutAnUpdateHasItsOwnVersion) {
  put("etc/dgx-release", "DGX_SWBUILD_VERSION=\"7.2.3\"\n");
  EXPECT_EQ(look().dgx_os, "7.2.3");
}

TEST_F(LinuxHardwareTest, WhatIsNotOnTheNodeIsEmpty) {
  const auto facts = look();
  EXPECT_EQ(facts.kernel, "");
  EXPECT_EQ(facts.cma_total_kib, std::nullopt);
  EXPECT_EQ(facts.dgx_os, "");
  EXPECT_EQ(facts.gpu_driver, "");
}

TEST_F(LinuxHardwareTest, ReadsTheErrorsOfTheFunctionAndOfItsRootPort) {
  const auto put_errors = [this](const fs::path& function, const std::string& correctable,
                                 const std::string& nonfatal) {
    put(function / "aer_dev_correctable", "RxErr 0\nBadTLP 1\nTOTAL_ERR_COR " + correctable + "\n");
    put(function / "aer_dev_nonfatal", "Undefined 0\nTOTAL_ERR_NONFATAL " + nonfatal + "\n");
    put(function / "aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL 4\n");
  };
  const auto function = add_port("enp1s0f0np0", "0000:00:00.0/0000:01:00.0");
  put_errors(function, "2", "3");
  put_errors("sys/devices/pci0000:00/0000:00:00.0", "5", "0");
  EXPECT_THAT(look().links.front().pcie_errors, ElementsAre(PcieErrors{"0000:01:00.0", 2, 3, 4},
                                                            PcieErrors{"0000:00:00.0", 5, 0, 4}));
}

TEST_F(LinuxHardwareTest, FirmwareFirstHasNoErrors) {
  const auto function = add_port("enp1s0f0np0", "0000:00:00.0/0000:01:00.0");
  EXPECT_THAT(look().links.front().pcie_errors, IsEmpty());
  put(function / "aer_dev_correctable", "TOTAL_ERR_COR 2\n");
  EXPECT_THAT(look().links.front().pcie_errors, IsEmpty()) << "a part of them is no count";
}

TEST_F(LinuxHardwareTest, UdevKnowsWhenTheDeviceCame) {
  const auto function = add_port("enp1s0f0np0", "0000:01:00.0");
  EXPECT_EQ(look().links.front().appeared_ms, std::nullopt);
  put(function / "net/enp1s0f0np0/ifindex", "4\n");
  put(function / "net/enp1s0f0np0/carrier_changes", "3\n");
  EXPECT_EQ(look().links.front().appeared_ms, std::nullopt);
  put("run/udev/data/n4", "E:ID_NET_DRIVER=mlx5_core\nI:320123456\nG:systemd\n");
  EXPECT_EQ(look().links.front().appeared_ms, 320'123);
  EXPECT_EQ(look().links.front().carrier_changes, 3U);
}

TEST_F(LinuxHardwareTest, AFunctionThatSleepsIsNotWoken) {
  const auto function = add_port("enp1s0f0np0", "0000:01:00.0");
  put(function / "hwmon/hwmon3/temp1_input", "45000\n");
  put(function / "power/runtime_status", "active\n");
  EXPECT_NE(look().links.front().pcie, std::nullopt);
  put(function / "power/runtime_status", "suspended\n");
  const auto facts = look();
  const auto& port = facts.links.front();
  EXPECT_EQ(port.pcie, std::nullopt);
  EXPECT_EQ(port.speed, std::nullopt);
  EXPECT_THAT(port.temperatures, IsEmpty());
  EXPECT_EQ(port.driver, "mlx5_core");
}

TEST_F(LinuxHardwareTest, AVirtioDeviceIsOnThePciFunctionAboveIt) {
  const auto function = add_port("unused", "0000:02:00.0");
  fs::remove(root_ / "sys/class/net/unused");
  fs::create_directories(root_ / "sys/bus/virtio");
  put(function / "virtio3/net/eth0/speed", "10000\n");
  fs::create_directory_symlink(root_ / "sys/bus/virtio", root_ / function / "virtio3/subsystem");
  fs::create_directory_symlink(root_ / function / "virtio3",
                               root_ / function / "virtio3/net/eth0/device");
  fs::create_directory_symlink(root_ / function / "virtio3/net/eth0", root_ / "sys/class/net/eth0");
  const auto facts = look();
  ASSERT_THAT(facts.links, SizeIs(1));
  EXPECT_EQ(facts.links.front().pci_address, "0000:02:00.0");
}

TEST_F(LinuxHardwareTest, AVirtualLinkIsNoHardware) {
  fs::create_directories(root_ / "sys/devices/virtual/net/veth0");
  fs::create_directory_symlink(root_ / "sys/devices/virtual/net/veth0",
                               root_ / "sys/class/net/veth0");
  EXPECT_THAT(look().links, IsEmpty());
}

}  // namespace
}  // namespace spark::host
