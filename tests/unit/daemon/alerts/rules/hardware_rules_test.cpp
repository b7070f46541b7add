#include <gtest/gtest.h>

#include "daemon/alerts/rules/rules.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

host::LinkHardware rail_hardware() {
  return {.link = "enp1s0f0np0",
          .driver = "mlx5_core",
          .pci_address = "0000:01:00.0",
          .pcie_errors = {{"0000:01:00.0", 0, 0, 0}}};
}

NodeState with_signs(std::vector<host::HardwareSign> signs) {
  auto state = healthy();
  state.started = at(1s);
  state.hardware.at = at(20min);
  state.hardware.facts = host::HardwareFacts{.links = {rail_hardware()}};
  state.hardware.signs = std::move(signs);
  return state;
}

host::HardwareSign fault_of(std::string name, std::string subject) {
  return {std::move(name), std::move(subject), true, "what is so", "what to do"};
}

TEST(Conditions, AHealthyCardRaisesNothing) {
  auto good = fault_of("pcie", "enp1s0f0np0");
  good.is_fault = false;
  EXPECT_EQ(names_of(with_signs({good})), "");
  EXPECT_EQ(names_of(with_signs({})), "");
}

TEST(Conditions, TellAFaultOfTheHardwareBySignAndLink) {
  for (const auto* name : {"pcie", "iommu", "module", "cabled"}) {
    const auto alert = only_of(with_signs({fault_of(name, "enp1s0f0np0")}));
    EXPECT_EQ(alert.name, "SparkHardwareFault");
    EXPECT_EQ(alert.severity, AlertSeverity::kWarning);
    EXPECT_EQ(label_of(alert, "sign"), name);
    EXPECT_EQ(label_of(alert, "link"), "enp1s0f0np0");
    EXPECT_EQ(alert.summary, "enp1s0f0np0: what is so");
    EXPECT_EQ(alert.remedy, "what to do");
    EXPECT_EQ(alert.since.boot, at(20min).boot);
  }
}

TEST(Conditions, TellAFaultOfTheNodeWithoutALink) {
  const auto alert = only_of(with_signs({fault_of("kho", "")}));
  EXPECT_EQ(alert.name, "SparkHardwareFault");
  EXPECT_EQ(alert.summary, "what is so");
  EXPECT_EQ(label_of(alert, "link"), "");
}

TEST(Conditions, TellCountersThatGrowAndPauseApart) {
  const auto errors = only_of(with_signs({fault_of("errors", "enp1s0f0np0")}));
  EXPECT_EQ(errors.name, "SparkErrorsGrow");
  const auto aer = only_of(with_signs({fault_of("aer", "0000:01:00.0")}));
  EXPECT_EQ(aer.name, "SparkErrorsGrow");
  EXPECT_EQ(label_of(aer, "device"), "0000:01:00.0");
  EXPECT_EQ(only_of(with_signs({fault_of("pause", "enp1s0f0np0")})).name, "SparkPauseStorm");
}

TEST(Conditions, AFaultOfTheHardwareClosesNoGate) {
  const auto state = with_signs({fault_of("pcie", "enp1s0f0np0"), fault_of("kernel", "")});
  EXPECT_EQ(state.verdict, gate::Verdict::kReady);
  EXPECT_EQ(names_of(state), "SparkHardwareFault SparkHardwareFault ");
}

TEST(IsJudged, HardwareOnceItWasLookedAt) {
  const auto alert = only_of(with_signs({fault_of("pcie", "enp1s0f0np0")}));
  EXPECT_FALSE(is_judged(alert, healthy()));
  EXPECT_TRUE(is_judged(alert, with_signs({})));
}

TEST(IsJudged, WhatGrowsOnlyWhenTheDaemonHasSeenEnough) {
  const auto alert = only_of(with_signs({fault_of("errors", "enp1s0f0np0")}));
  EXPECT_TRUE(is_judged(alert, with_signs({})));
  auto fresh = with_signs({});
  fresh.started = at(15min);
  EXPECT_FALSE(is_judged(alert, fresh)) << "five minutes say nothing of the last ten";
  fresh.hardware.facts->links.clear();
  EXPECT_TRUE(is_judged(alert, fresh)) << "the device is gone";
}

TEST(HowItEnded, SaysThatTheDeviceIsGone) {
  const auto alert = only_of(with_signs({fault_of("module", "enp1s0f0np0")}));
  auto state = with_signs({});
  EXPECT_EQ(how_it_ended(alert, state), "gone by itself");
  state.hardware.facts->links.clear();
  EXPECT_EQ(how_it_ended(alert, state), "the device is gone");
  const auto aer = only_of(with_signs({fault_of("aer", "0000:01:00.0")}));
  EXPECT_EQ(how_it_ended(aer, state), "the device is gone");
  EXPECT_EQ(how_it_ended(aer, with_signs({})), "gone by itself");
}

}  // namespace
}  // namespace spark::daemon
