#include "daemon/export/hardware_metrics.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/daemon/states.hpp"

namespace spark::daemon {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string told_of(const HardwareState& hardware) {
  Exposition out;
  tell_hardware(out, hardware);
  return out.text();
}

TEST(HardwareMetrics, TellEachSignAndNoFaultOfAHealthyNode) {
  const auto text = told_of(test_states().at("ready").hardware);
  for (const auto sign : host::kHardwareSigns) {
    EXPECT_THAT(
        text, HasSubstr("spark_reconcile_hardware_faults{sign=\"" + std::string(sign) + "\"} 0\n"));
  }
  EXPECT_THAT(text, HasSubstr("spark_reconcile_link_pcie_lanes{link=\"enp1s0f0np0\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_link_module_celsius{link=\"enp1s0f0np0\"} 45\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_system_info{kernel=\"6.14.0-1015-nvidia\","
                              "dgx_os=\"7.5.0\",gpu_driver=\"580.95.05\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_link_hardware_info{link=\"enp1s0f0np0\","
                              "driver=\"mlx5_core\",firmware=\"28.45.4028 (NVD0000000087)\","
                              "fec=\"RS\",iommu=\"identity\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_pcie_errors_total{device=\"0000:00:00.0\","
                              "severity=\"correctable\"} 2\n"));
}

TEST(HardwareMetrics, CountTheDevicesThatShowAFault) {
  const auto text = told_of(test_states().at("contested").hardware);
  for (const auto sign : host::kHardwareSigns) {
    EXPECT_THAT(
        text, HasSubstr("spark_reconcile_hardware_faults{sign=\"" + std::string(sign) + "\"} 1\n"));
  }
  EXPECT_THAT(text, HasSubstr("spark_reconcile_link_errors_total{link=\"enp1s0f0np0\","
                              "error=\"symbol\"} 17\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_link_pause_frames_total{link=\"enp1s0f0np0\","
                              "direction=\"received\"} 200000\n"));
}

TEST(HardwareMetrics, TellNothingThatIsNotApplicable) {
  EXPECT_EQ(told_of({}), "");
  auto hardware = test_states().at("ready").hardware;
  hardware.signs.clear();
  hardware.facts->links.clear();
  const auto text = told_of(hardware);
  EXPECT_THAT(text, Not(HasSubstr("sign=")));
  EXPECT_THAT(text, Not(HasSubstr("link=")));
}

TEST(HardwareMetrics, StayBelowTheirLimit) {
  for (const auto& [name, state] : test_states()) {
    const auto text = told_of(state.hardware);
    const auto lines = lines_of(text);
    const auto series = std::ranges::count_if(
        lines, [](std::string_view line) { return line.starts_with("spark_reconcile_"); });
    EXPECT_LE(static_cast<std::size_t>(series), kMostHardwareSeries) << name;
  }
}

}  // namespace
}  // namespace spark::daemon
