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
