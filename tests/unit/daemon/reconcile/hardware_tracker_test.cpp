#include "daemon/reconcile/hardware_tracker.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

constexpr const char* kTrackedLink = "enp1s0f0np0";
constexpr const char* kFunction = "0000:01:00.0";
constexpr const char* kRootPort = "0000:00:00.0";

host::HardwareFacts one_rail() {
  return {.command_line = "",
          .links = {{.link = kTrackedLink,
                     .driver = "mlx5_core",
                     .pci_address = kFunction,
                     .speed = 200'000,
                     .carrier_changes = 2,
                     .statistics = {{"rx_symbol_err_phy", 5},
                                    {"rx_discards_phy", 0},
                                    {"link_down_events_phy", 1},
                                    {"rx_corrected_bits_phy", 1000},
                                    {"rx_pause_ctrl_phy", 0},
                                    {"tx_prio3_pause", 0}},
                     .appeared_ms = 4000,
                     .pcie_errors = {{kFunction, 0, 0, 0}, {kRootPort, 0, 0, 0}}}}};
}

class HardwareTrackerTest : public testing::Test {
 protected:
  host::LinkHardware& rail() { return facts_.links.front(); }
  std::uint64_t& count(const std::string& name) { return rail().statistics[name]; }

  void look(std::chrono::milliseconds boot) {
    const Moment now{{}, boot};
    state_ = tracker_.take(facts_, host::KernelReleases(), now);
  }

  /// Null: not applicable.
  [[nodiscard]] const host::HardwareSign* sign(std::string_view name,
                                               std::string_view subject = kTrackedLink) const {
    const auto found = std::ranges::find_if(state_.signs, [&](const host::HardwareSign& one) {
      return one.name == name && one.subject == subject;
    });
    return found == state_.signs.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool is_fault(std::string_view name,
                              std::string_view subject = kTrackedLink) const {
    const auto* found = sign(name, subject);
    EXPECT_NE(found, nullptr) << name << " of " << subject << " is not applicable";
    return found != nullptr && found->is_fault;
  }

  host::HardwareFacts facts_ = one_rail();
  HardwareTracker tracker_;
  HardwareState state_;
};

TEST_F(HardwareTrackerTest, WhatWasCountedBeforeTheFirstLookIsNoGrowth) {
  look(1min);
  EXPECT_FALSE(is_fault("errors"));
  look(2min);
  EXPECT_FALSE(is_fault("errors"));
}

TEST_F(HardwareTrackerTest, ACounterThatGrowsIsAFaultForTenMinutes) {
  look(1min);
  count("rx_symbol_err_phy") += 3;
  look(2min);
  ASSERT_TRUE(is_fault("errors"));
  EXPECT_EQ(sign("errors")->what, "more and more: symbol errors");
  EXPECT_NE(sign("errors")->remedy, "");
  look(11min);
  EXPECT_TRUE(is_fault("errors"));
  look(12min);
  EXPECT_FALSE(is_fault("errors"));
  EXPECT_EQ(sign("errors")->remedy, "");
}

TEST_F(HardwareTrackerTest, CorrectedBitsAreNoErrors) {
  look(1min);
  count("rx_corrected_bits_phy") += 1'000'000;
  look(2min);
  EXPECT_FALSE(is_fault("errors"));
}

TEST_F(HardwareTrackerTest, ErrorsWhileTheLinkComesUpAreNone) {
  look(1min);
  count("rx_symbol_err_phy") += 1000;
  count("link_down_events_phy") += 1;
  rail().carrier_changes = 4;
  look(2min);
  EXPECT_FALSE(is_fault("errors"));
}

TEST_F(HardwareTrackerTest, OneLossOfTheLinkIsARebootOfThePeerAndThreeAreAFault) {
  look(1min);
  for (int i = 1; i <= 3; ++i) {
    count("link_down_events_phy") += 1;
    rail().carrier_changes = *rail().carrier_changes + 2;
    look(1min + i * 5min);
    EXPECT_EQ(is_fault("errors"), i == 3) << i;
  }
  look(65min);
  EXPECT_TRUE(is_fault("errors"));
  look(67min);
  EXPECT_FALSE(is_fault("errors")) << "the first of the three is an hour ago";
}

TEST_F(HardwareTrackerTest, DiscardsSayThatOneEndIsTooSlow) {
  look(1min);
  count("rx_discards_phy") += 1;
  look(2min);
  ASSERT_TRUE(is_fault("errors"));
  EXPECT_NE(sign("errors")->remedy.find("too slow"), std::string::npos);
}

TEST_F(HardwareTrackerTest, ACounterThatBeginsAgainIsNoGrowth) {
  look(1min);
  count("rx_symbol_err_phy") = 9;
  look(2min);
  ASSERT_TRUE(is_fault("errors"));
  count("rx_symbol_err_phy") = 0;
  look(3min);
  EXPECT_FALSE(is_fault("errors")) << "the driver was loaded again";
}

TEST_F(HardwareTrackerTest, ADeviceThatGoesTakesItsFaultsAlong) {
  look(1min);
  count("rx_symbol_err_phy") += 3;
  rail().pcie_errors.front().fatal = 1;
  look(2min);
  ASSERT_TRUE(is_fault("errors"));
  ASSERT_TRUE(is_fault("aer", kFunction));
  const auto before = facts_;
  facts_.links.clear();
  look(3min);
  EXPECT_EQ(sign("errors"), nullptr);
  EXPECT_EQ(sign("aer", kFunction), nullptr);
  facts_ = before;
  look(4min);
  EXPECT_FALSE(is_fault("errors")) << "it begins again";
  EXPECT_FALSE(is_fault("aer", kFunction));
}

TEST_F(HardwareTrackerTest, AnotherDeviceOfThatNameBeginsAgain) {
  look(1min);
  count("rx_symbol_err_phy") += 3;
  rail().appeared_ms = 90'000;
  look(2min);
  EXPECT_FALSE(is_fault("errors"));
}

TEST_F(HardwareTrackerTest, PauseIsJudgedByHalfAMinuteAtLeast) {
  look(60s);
  EXPECT_EQ(sign("pause"), nullptr) << "one look is no rate";
  count("rx_pause_ctrl_phy") += 100'000;
  look(70s);
  EXPECT_EQ(sign("pause"), nullptr) << "ten seconds are a burst";
  look(90s);
  ASSERT_TRUE(is_fault("pause"));
  EXPECT_EQ(sign("pause")->what,
            "the other end asks this one to pause, more than 1000 times a second");
  look(100s);
  EXPECT_TRUE(is_fault("pause")) << "nothing newer is known yet";
  look(125s);
  EXPECT_FALSE(is_fault("pause"));
}

TEST_F(HardwareTrackerTest, PauseOfAPriorityCounts) {
  look(1min);
  count("tx_prio3_pause") += 70'000;
  look(2min);
  ASSERT_TRUE(is_fault("pause"));
  EXPECT_EQ(sign("pause")->what,
            "this end asks the other one to pause, more than 1000 times a second");
}

TEST_F(HardwareTrackerTest, AFewPauseFramesAreNormal) {
  look(1min);
  count("rx_pause_ctrl_phy") += 60'000;
  look(2min);
  EXPECT_FALSE(is_fault("pause")) << "1000 a second are not above 1000";
}

TEST_F(HardwareTrackerTest, AnUncorrectedErrorOfTheRootPortIsItsOwn) {
  look(1min);
  rail().pcie_errors.back().nonfatal = 1;
  look(2min);
  EXPECT_TRUE(is_fault("aer", kRootPort));
  EXPECT_FALSE(is_fault("aer", kFunction));
  rail().pcie_errors.back().correctable = 50;
  look(63min);
  EXPECT_FALSE(is_fault("aer", kRootPort)) << "corrected ones are no fault";
}

TEST_F(HardwareTrackerTest, FirmwareFirstMeansNotApplicable) {
  rail().pcie_errors.clear();
  look(1min);
  EXPECT_EQ(sign("aer", kFunction), nullptr);
}

TEST_F(HardwareTrackerTest, AnotherCardIsNotJudged) {
  rail().driver = "r8127";
  look(1min);
  count("rx_symbol_err_phy") += 3;
  look(2min);
  EXPECT_EQ(sign("errors"), nullptr);
  EXPECT_EQ(sign("pause"), nullptr);
}

}  // namespace
}  // namespace spark::daemon
