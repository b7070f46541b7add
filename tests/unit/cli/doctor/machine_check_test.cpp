#include "cli/doctor/checks.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MachineCheck, KnowsTheLineOfTheKernelAboutPower) {
  EXPECT_TRUE(
      is_power_line("4,1234,5678901,-;mlx5_core 0000:01:00.0: mlx5_pcie_event:301:(pid 8): "
                    "Detected insufficient power on the PCIe slot (27W).\n"));
  EXPECT_FALSE(
      is_power_line("4,1234,5678901,-;mlx5_core 0000:01:00.0: PCIe slot advertised "
                    "sufficient power (75W).\n"));
}

class WatchdogCheck : public testing::Test {
 protected:
  static constexpr const char* kDevice = "/sys/bus/platform/devices/sbsa-gwdt.0/";

  WatchdogCheck() {
    machine_.files().put(std::string(kDevice) + "uevent", "MODALIAS=platform:sbsa-gwdt\n");
  }
  [[nodiscard]] Findings found() { return asked(check_watchdog, machine_); }

  test::FakeHost machine_;
};

TEST_F(WatchdogCheck, NamesOneThatHasNoDriver) {
  const auto findings = found();
  ASSERT_THAT(findings, ElementsAre(says("watchdog", Severity::kLook, "if firmware armed it")));
  EXPECT_EQ(findings[0].remedy,
            "`sudo modprobe sbsa_gwdt`, and `modules: [sbsa_gwdt]` in the file for each boot");
}

TEST_F(WatchdogCheck, SaysNothingWhereADriverKeepsIt) {
  machine_.files().put(std::string(kDevice) + "driver/unbind", "");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(WatchdogCheck, SaysNothingWhereAWatchdogIsInUse) {
  machine_.files().put("/sys/class/watchdog/watchdog0/identity", "SBSA Generic Watchdog\n");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(WatchdogCheck, SaysNothingOnAMachineWithoutIt) {
  test::FakeHost other;
  other.files().put("/sys/bus/platform/devices/serial8250/uevent", "");
  EXPECT_THAT(asked(check_watchdog, other), IsEmpty());
}

TEST(MachineCheck, NamesTheToolsThatAreMissing) {
  test::FakeHost machine;
  for (const auto* tool : {"/usr/bin/ibv_devinfo", "/usr/sbin/ethtool", "/sbin/rdma"}) {
    machine.files().put(tool, "");
  }
  EXPECT_THAT(asked(check_tools, machine),
              ElementsAre(says("tools", Severity::kGood,
                               "ib_write_bw, nvme; for people: `sudo apt install perftest "
                               "nvme-cli`")));
  machine.files().put("/usr/bin/ib_write_bw", "");
  machine.files().put("/usr/sbin/nvme", "");
  EXPECT_THAT(asked(check_tools, machine), IsEmpty());
}

}  // namespace
}  // namespace spark::cli
