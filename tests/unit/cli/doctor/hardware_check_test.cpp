#include "cli/doctor/hardware_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "unit/cli/text_file.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

host::LinkHardware healthy_rail(const std::string& name) {
  host::LinkHardware link;
  link.link = name;
  link.driver = "mlx5_core";
  link.pcie = host::PcieLink{"32.0 GT/s PCIe", "32.0 GT/s PCIe", 4, 4};
  link.speed = 200'000;
  link.iommu = "identity";
  link.temperatures = {{"Module0", 45'000}};
  link.fec = "RS";
  link.cable = "direct attach copper";
  link.receive_ring = {.size = 1024, .max = 8192};
  link.appeared_ms = 4'200;
  link.statistics = {{"rx_symbol_err_phy", 0}};
  return link;
}

class HardwareCheck : public ::testing::Test {
 protected:
  HardwareCheck() {
    facts().kernel = "6.14.0-1015-nvidia";
    facts().cma_total_kib = 65'536;
    facts().cma_free_kib = 60'000;
    facts().links = {healthy_rail("enP2p1s0f0np0"), healthy_rail("enp1s0f0np0")};
  }

  host::HardwareFacts& facts() { return machine_.hardware().facts(); }

  [[nodiscard]] Findings found() {
    const TextFile out;
    const TextFile err;
    const Arguments arguments;
    const Terminal terminal(out.stream(), err.stream(), arguments.color, arguments.quiet);
    const Log log(err.stream(), {.verbosity = arguments.verbosity});
    auto host = machine_.host();
    return check_hardware({arguments, terminal, log, host});
  }

  [[nodiscard]] static auto says(const std::string& name, bool good, const std::string& what) {
    return AllOf(Field(&Finding::name, name),
                 Field(&Finding::severity, good ? Severity::kGood : Severity::kLook),
                 Field(&Finding::what, HasSubstr(what)));
  }

  test::FakeHost machine_;
};

TEST_F(HardwareCheck, HasARowForEachSignOfAHealthySpark) {
  EXPECT_THAT(
      found(),
      ElementsAre(says("pcie", true, "enP2p1s0f0np0, enp1s0f0np0: 32.0 GT/s x4"),
                  says("iommu", true, "does not translate"), says("heat", true, "45 C"),
                  says("fec", true, "RS on enP2p1s0f0np0, enp1s0f0np0"),
                  says("cable type", true, "direct attach copper on enP2p1s0f0np0, enp1s0f0np0"),
                  says("rings", true, "1024 of 8192 on enP2p1s0f0np0, enp1s0f0np0"),
                  says("cabled", true, "there since the boot"),
                  says("kho", true, "kexec handover is off"),
                  says("kernel", true, "nothing is known against 6.14.0-1015-nvidia"),
                  says("counters", true, "no error was counted")));
}

TEST_F(HardwareCheck, NamesTheLinksOfOneFaultTogether) {
  for (auto& link : facts().links) link.iommu = "DMA-FQ";
  facts().links.front().pcie->width = 2;
  const auto findings = found();
  EXPECT_THAT(findings, Contains(says("pcie", false, "enP2p1s0f0np0: PCIe runs at 32.0 GT/s x2")));
  EXPECT_THAT(findings,
              Contains(says("iommu", false, "enP2p1s0f0np0, enp1s0f0np0: the IOMMU translates")));
  for (const auto& finding : findings)
    EXPECT_EQ(finding.remedy.empty(), finding.severity == Severity::kGood);
}

TEST_F(HardwareCheck, WithoutACardOnlyTheNodeIsLookedAt) {
  facts().links.clear();
  EXPECT_THAT(found(), ElementsAre(says("card", true, "not applicable"), says("kho", true, ""),
                                   says("kernel", true, "")));
}

TEST_F(HardwareCheck, WhatTheDriverDoesNotTellIsNotApplicable) {
  host::LinkHardware silent;
  silent.link = "enp1s0f0np0";
  silent.driver = "mlx5_core";
  facts() = {};
  facts().links = {silent};
  const auto findings = found();
  EXPECT_THAT(findings, Each(Field(&Finding::severity, Severity::kGood)));
  EXPECT_THAT(findings, Each(Field(&Finding::what, HasSubstr("not applicable"))));
}

TEST_F(HardwareCheck, TellsWhatWasCountedAndThatItDoesNotGrow) {
  facts().links.back().statistics["rx_symbol_err_phy"] = 12;
  EXPECT_THAT(found(), Contains(says("counters", true, "enp1s0f0np0 12 symbol errors")));
}

TEST_F(HardwareCheck, TellsWhatTheDaemonSawGrow) {
  auto state = test::ready_node();
  state.hardware.signs = {
      {"errors", "enp1s0f0np0", true, "more and more: symbol errors", "plug the cable in again"},
      {"pause", "enp1s0f0np0", false, "few", ""},
      {"pcie", "enp1s0f0np0", true, "x2", "y"}};
  test::put_state(machine_.files(), state);
  const auto findings = found();
  EXPECT_THAT(findings,
              Contains(says("counters", false, "enp1s0f0np0: more and more: symbol errors")));
  EXPECT_THAT(findings, Contains(says("pcie", true, "x4"))) << "that is as this look sees it";
}

}  // namespace
}  // namespace spark::cli
