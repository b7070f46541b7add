#include "host/hardware_signs.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/kernel_releases.hpp"

namespace spark::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kLink = "enp1s0f0np0";

/// A Spark with one rail, as nothing is wrong with it.
HardwareFacts healthy_spark() {
  HardwareFacts facts;
  facts.command_line = "root=/dev/nvme0n1p2 kho=off";
  facts.kernel = "6.14.0-1015-nvidia";
  facts.cma_total_kib = 65'536;
  facts.cma_free_kib = 60'000;
  LinkHardware link;
  link.link = kLink;
  link.driver = "mlx5_core";
  link.pcie = PcieLink{"32.0 GT/s PCIe", "32.0 GT/s PCIe", 4, 4};
  link.speed = 200'000;
  link.iommu = "identity";
  link.temperatures = {{"asic", 52'000}, {"Module0", 45'000}};
  link.appeared_ms = 4'200;
  facts.links = {link};
  return facts;
}

class HardwareSigns : public testing::Test {
 protected:
  LinkHardware& rail() { return facts_.links.front(); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& sign : hardware_signs(facts_)) names.push_back(sign.name);
    return names;
  }
  [[nodiscard]] std::vector<std::string> faults() const {
    std::vector<std::string> names;
    for (const auto& sign : hardware_signs(facts_)) {
      EXPECT_EQ(sign.remedy.empty(), !sign.is_fault) << sign.name;
      if (sign.is_fault) names.push_back(sign.name);
    }
    return names;
  }
  /// The only fault; a failure where there is another number of them.
  [[nodiscard]] HardwareSign fault() const {
    std::vector<HardwareSign> found;
    for (const auto& sign : hardware_signs(facts_)) {
      if (sign.is_fault) found.push_back(sign);
    }
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? HardwareSign{} : found.front();
  }

  HardwareFacts facts_ = healthy_spark();
};

TEST_F(HardwareSigns, AHealthySparkShowsNoFault) {
  EXPECT_THAT(faults(), IsEmpty());
  EXPECT_THAT(names(), ElementsAre("pcie", "iommu", "module", "cabled", "kho", "kernel"));
}

TEST_F(HardwareSigns, TwoLanesAreTooFew) {
  rail().pcie->width = 2;
  EXPECT_EQ(fault().name, "pcie");
  EXPECT_EQ(fault().subject, kLink);
  EXPECT_EQ(fault().what, "PCIe runs at 32.0 GT/s x2, the device could 32.0 GT/s x4");
}

TEST_F(HardwareSigns, FourOfSixteenLanesAreWhatASparkHas) {
  rail().pcie->max_width = 16;
  EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(HardwareSigns, ASlowerLinkOfPcieIsAFault) {
  rail().pcie->speed = "16.0 GT/s PCIe";
  EXPECT_EQ(fault().name, "pcie");
}

TEST_F(HardwareSigns, AnIommuThatTranslatesIsAFault) {
  for (const auto* type : {"DMA", "DMA-FQ"}) {
    rail().iommu = type;
    EXPECT_EQ(fault().name, "iommu") << type;
  }
  EXPECT_THAT(fault().remedy, HasSubstr("put `iommu.passthrough=1`"));
  facts_.command_line = "kho=off iommu.passthrough=0";
  EXPECT_THAT(fault().remedy, HasSubstr("take `iommu.passthrough=0` off"));
  rail().iommu = "blocked";
  EXPECT_THAT(names(), testing::Not(testing::Contains("iommu"))) << "nobody knows what it means";
}

TEST_F(HardwareSigns, AModuleIsHotFromSeventyDegrees) {
  rail().temperatures["Module0"] = 69'999;
  EXPECT_THAT(faults(), IsEmpty());
  rail().temperatures["Module0"] = 70'000;
  EXPECT_EQ(fault().name, "module");
  rail().temperatures["Module0"] = 45'000;
  rail().temperatures["asic"] = 90'000;
  EXPECT_THAT(faults(), IsEmpty()) << "the chip is no module";
}

TEST_F(HardwareSigns, ACardThatCameAfterTheBootWasCabledSince) {
  rail().appeared_ms = 60'000;
  EXPECT_THAT(faults(), IsEmpty());
  rail().appeared_ms = 320'000;
  EXPECT_EQ(fault().name, "cabled");
  EXPECT_THAT(fault().what, HasSubstr("5 min"));
  rail().speed.reset();
  EXPECT_THAT(faults(), IsEmpty()) << "no cable is in it";
}

TEST_F(HardwareSigns, KhoIsOnWhereMoreIsFreeThanThereIs) {
  facts_.cma_free_kib = 65'537;
  EXPECT_EQ(fault().name, "kho");
  EXPECT_EQ(fault().subject, "");
  facts_.cma_free_kib = 0;
  facts_.cma_total_kib = 0;
  EXPECT_THAT(faults(), IsEmpty()) << "kho=off reads 0 and 0";
}

TEST_F(HardwareSigns, KhoIsOnByTheCommandLine) {
  for (const auto* word : {"kho=on", "kho", "kho=1"}) {
    facts_.command_line = std::string("quiet ") + word;
    EXPECT_EQ(fault().name, "kho") << word;
  }
  for (const auto* words : {"", "kho=off", "nokho=on", "kho=only", "kho=off2"}) {
    facts_.command_line = words;
    EXPECT_THAT(faults(), IsEmpty()) << words;
  }
}

TEST_F(HardwareSigns, OnlyKernelsWithAKnownFaultAreOne) {
  facts_.command_line = "quiet";
  for (const auto* kernel : {"6.17.0-1008-nvidia", "6.17.0-1008", "7.0.0-1019-nvidia"}) {
    facts_.kernel = kernel;
    EXPECT_EQ(fault().name, "kernel") << kernel;
    EXPECT_THAT(fault().remedy, HasSubstr("boot 6.17.0-1032")) << kernel;
    EXPECT_THAT(fault().remedy, Not(HasSubstr("full-upgrade"))) << kernel;
  }
  facts_.kernel = "6.17.0-1032-nvidia";
  EXPECT_THAT(faults(), IsEmpty());
  for (const auto* kernel : {"6.17.0-10080-nvidia", "6.17.0-1014-nvidia", "6.1.0-1008"}) {
    facts_.kernel = kernel;
    EXPECT_THAT(faults(), IsEmpty()) << kernel;
  }
}

TEST_F(HardwareSigns, AWordOfTheCommandLineCuresTheKernelThatTurnsKexecHandoverOn) {
  facts_.kernel = "7.0.0-1019-nvidia";
  facts_.command_line = "quiet";
  EXPECT_THAT(fault().remedy, HasSubstr("put `kho=off`"));
  facts_.command_line = "quiet kho=off";
  EXPECT_THAT(faults(), IsEmpty());
  facts_.kernel = "6.17.0-1008-nvidia";
  EXPECT_EQ(fault().name, "kernel");
}

TEST(KernelReleases, EachStandsInThePageWithItsSource) {
  std::ifstream page(std::filesystem::path(SPARK_SOURCE_DIR) / "docs/explain/hardware.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const KernelReleases releases;
  for (const auto& known : releases.all()) {
    EXPECT_THAT(text, HasSubstr(fmt::format("| {} |", known.release)));
    EXPECT_THAT(text, HasSubstr(known.source));
    EXPECT_THAT(text, HasSubstr(fmt::format("| {} |", known.date)));
    EXPECT_TRUE(known.source.starts_with("https://")) << known.release;
  }
}

TEST_F(HardwareSigns, WhatTheDriverDoesNotTellIsNotApplicable) {
  LinkHardware silent;
  silent.link = kLink;
  silent.driver = "mlx5_core";
  facts_.links = {silent};
  facts_.cma_free_kib.reset();
  EXPECT_THAT(names(), ElementsAre("kernel"));
}

TEST_F(HardwareSigns, ANodeWithoutTheCardShowsOnlyWhatIsOfTheNode) {
  facts_.links.clear();
  EXPECT_THAT(names(), ElementsAre("kho", "kernel"));
}

TEST_F(HardwareSigns, AnotherCardIsNotJudged) {
  rail().driver = "r8127";
  rail().pcie->width = 1;
  rail().iommu = "DMA-FQ";
  EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(HardwareSigns, PauseFramesAreThoseOfTheLinkAndOfItsPriorities) {
  EXPECT_EQ(pause_frames(rail()), std::nullopt);
  rail().statistics = {{"rx_pause_ctrl_phy", 5}, {"rx_prio3_pause", 7}, {"tx_pause_ctrl_phy", 1}};
  const auto frames = pause_frames(rail());
  ASSERT_TRUE(frames);
  EXPECT_EQ(frames->received, 12U);
  EXPECT_EQ(frames->sent, 1U);
}

TEST_F(HardwareSigns, FewStatisticsAreKept) {
  for (const auto* name : {"rx_symbol_err_phy", "rx_crc_errors_phy", "link_down_events_phy",
                           "rx_corrected_bits_phy", "tx_prio0_pause", "rx_pause_ctrl_phy"}) {
    EXPECT_TRUE(is_kept_statistic(name)) << name;
  }
  for (const auto* name : {"", "rx_packets", "rx_prio3_pause_duration", "rx_prio3_bytes",
                           "peer_ifindex", "rx_err_lane_0_phy", "rx_global_pause"}) {
    EXPECT_FALSE(is_kept_statistic(name)) << name;
  }
}

}  // namespace
}  // namespace spark::host
