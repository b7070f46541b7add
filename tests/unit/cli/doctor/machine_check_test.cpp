#include "cli/doctor/machine_check.hpp"

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
