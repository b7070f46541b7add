#include "host/hardware_signs.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/duration_text.hpp"

namespace spark::host {
namespace {

/// A device that is there at boot has been seen by then.
constexpr std::int64_t kBootTakes = 60'000;
constexpr std::int64_t kThousand = 1000;

HardwareSign good_sign(std::string_view name, const std::string& subject, std::string what) {
  return {std::string(name), subject, false, std::move(what), ""};
}

HardwareSign fault_sign(std::string_view name, const std::string& subject, std::string what,
                        std::string remedy) {
  return {std::string(name), subject, true, std::move(what), std::move(remedy)};
}

/// "32.0 GT/s x4".
std::string pcie_speed_text(std::string_view speed, std::uint32_t width) {
  constexpr std::string_view kBus = " PCIe";  // as sysfs ends it: "32.0 GT/s PCIe"
  if (speed.ends_with(kBus)) speed.remove_suffix(kBus.size());
  return fmt::format("{} x{}", speed, width);
}

/// Whether max_link_width of a Spark's card reads 4 or 16 nobody has reported: below four lanes it
/// is too few in any case.
bool is_narrow(const PcieLink& pcie) {
  const bool is_slow = !pcie.max_speed.empty() && pcie.speed != pcie.max_speed;
  return is_slow || (has_few_lanes(pcie.width) && pcie.width < pcie.max_width);
}

void add_pcie(const LinkHardware& link, std::vector<HardwareSign>& signs) {
  if (!link.pcie) return;
  const auto& pcie = *link.pcie;
  signs.push_back(
      is_narrow(pcie)
          ? fault_sign(
                signs::kPcie, link.link, pcie_text(pcie),
                fmt::format("update the firmware of the machine (a BIOS before 04/2026 gives a "
                            "rail two lanes); `cat "
                            "/sys/class/net/{}/device/current_link_width` says 4 where it is "
                            "right",
                            link.link))
          : good_sign(signs::kPcie, link.link, pcie_speed_text(pcie.speed, pcie.width)));
}

void add_iommu(const HardwareFacts& facts, const LinkHardware& link,
               std::vector<HardwareSign>& signs) {
  if (link.iommu == "identity") {
    signs.push_back(good_sign(signs::kIommu, link.link, "does not translate (identity)"));
  } else if (iommu_translates(link)) {
    constexpr std::string_view kAsked = "iommu.passthrough=0";
    signs.push_back(fault_sign(
        signs::kIommu, link.link,
        fmt::format("the IOMMU translates (group type {}): READs of RDMA stay at 13 to 15 "
                    "Gb/s",
                    link.iommu),
        is_on_command_line(facts.command_line, kAsked)
            ? fmt::format("take `{}` off the kernel's command line and reboot", kAsked)
            : "put `iommu.passthrough=1` on the kernel's command line and reboot"));
  }
}

void add_module(const LinkHardware& link, std::vector<HardwareSign>& signs) {
  const auto heat = module_heat(link);
  if (!heat) return;
  const auto degrees = *heat / kThousand;
  signs.push_back(
      *heat >= kWarmModule
          ? fault_sign(signs::kModule, link.link,
                       "the cable's module is hot: an optical one drops the link at 75 C",
                       "give it air, or use a passive copper cable (DAC)")
          : good_sign(signs::kModule, link.link, fmt::format("{} C", degrees)));
}

/// Only with a carrier: an empty cage is slow in no way.
void add_cabled(const LinkHardware& link, std::vector<HardwareSign>& signs) {
  if (!link.appeared_ms || !link.speed) return;
  const auto seconds = *link.appeared_ms / kThousand;
  signs.push_back(
      *link.appeared_ms > kBootTakes
          ? fault_sign(
                signs::kCabled, link.link,
                fmt::format("the device came {} after the boot: the card was cabled while the "
                            "machine ran",
                            duration_text(std::chrono::seconds(seconds))),
                "measure it: `spark-reconcile bench`; where a link of 200 Gb/s carries 8 to 25, "
                "reboot this node")
          : good_sign(signs::kCabled, link.link, "there since the boot"));
}

void add_kho(const HardwareFacts& facts, std::vector<HardwareSign>& signs) {
  const bool is_counted = facts.cma_total_kib && facts.cma_free_kib;
  const bool is_asked = is_on_command_line(facts.command_line, "kho=on") ||
                        is_on_command_line(facts.command_line, "kho=1") ||
                        is_on_command_line(facts.command_line, "kho");
  // KHO keeps memory apart by the same allocator, and counts as free what it never set apart.
  const bool is_seen = is_counted && *facts.cma_free_kib > *facts.cma_total_kib;
  if (is_seen || is_asked) {
    signs.push_back(fault_sign(
        signs::kKho, "",
        is_seen ? "kexec handover is on (CmaFree is above CmaTotal): memory cannot be registered "
                  "once it gets short"
                : "kexec handover is on by the kernel's command line: memory cannot be registered "
                  "once it gets short",
        "put `kho=off` on the kernel's command line and reboot"));
  } else if (is_counted) {
    signs.push_back(good_sign(signs::kKho, "", "kexec handover is off"));
  }
}

void add_kernel(const HardwareFacts& facts, const KernelReleases& releases,
                std::vector<HardwareSign>& signs) {
  if (facts.kernel.empty()) return;
  const auto* const known = releases.known(facts.kernel);
  if (known == nullptr) {
    signs.push_back(
        good_sign(signs::kKernel, "", fmt::format("nothing is known against {}", facts.kernel)));
  } else if (known->fault.empty()) {
    signs.push_back(
        good_sign(signs::kKernel, "",
                  fmt::format("{} is known to be good ({})", facts.kernel, origin_text(*known))));
  } else if (!known->cure.empty() && is_on_command_line(facts.command_line, known->cure)) {
    signs.push_back(
        good_sign(signs::kKernel, "", fmt::format("{} with {}", facts.kernel, known->cure)));
  } else {
    auto remedy = fmt::format("{}, and do not upgrade it", releases.boot_a_good_one());
    if (!known->cure.empty()) {
      remedy += fmt::format("; or put `{}` on the kernel's command line and reboot", known->cure);
    }
    signs.push_back(fault_sign(
        signs::kKernel, "",
        fmt::format("kernel {} {} ({})", facts.kernel, known->fault, origin_text(*known)),
        std::move(remedy)));
  }
}

bool is_of_priority(std::string_view name, std::string_view direction) {
  // "rx_prio3_pause"; not "rx_prio3_pause_duration".
  return name.starts_with(fmt::format("{}_prio", direction)) && name.ends_with("_pause");
}

bool is_pause(std::string_view name, std::string_view direction) {
  return name == fmt::format("{}_pause_ctrl_phy", direction) || is_of_priority(name, direction);
}

}  // namespace

std::vector<HardwareSign> hardware_signs(const HardwareFacts& facts,
                                         const KernelReleases& releases) {
  std::vector<HardwareSign> signs;
  for (const auto& link : facts.links) {
    if (!is_connectx(link)) continue;
    add_pcie(link, signs);
    add_iommu(facts, link, signs);
    add_module(link, signs);
    add_cabled(link, signs);
  }
  add_kho(facts, signs);
  add_kernel(facts, releases, signs);
  return signs;
}

bool is_connectx(const LinkHardware& link) { return link.driver == "mlx5_core"; }

std::string pcie_text(const PcieLink& pcie) {
  return fmt::format("PCIe runs at {}, the device could {}",
                     pcie_speed_text(pcie.speed, pcie.width),
                     pcie_speed_text(pcie.max_speed, pcie.max_width));
}

bool iommu_translates(const LinkHardware& link) { return link.iommu.starts_with("DMA"); }

std::optional<std::int64_t> module_heat(const LinkHardware& link) {
  constexpr std::string_view kModuleSensor = "Module";  // of mlx5: "Module0", beside "asic"
  std::optional<std::int64_t> hottest;
  for (const auto& [sensor, heat] : link.temperatures) {
    if (sensor.starts_with(kModuleSensor)) hottest = std::max(heat, hottest.value_or(heat));
  }
  return hottest;
}

bool is_on_command_line(std::string_view command_line, std::string_view word) {
  for (std::size_t at = command_line.find(word); at != std::string_view::npos;
       at = command_line.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || command_line[at - 1] == ' ';
    if (begins && (end == command_line.size() || command_line[end] == ' ')) return true;
  }
  return false;
}

bool is_kept_statistic(std::string_view name) {
  return name == kCorrectedBits || is_pause(name, "rx") || is_pause(name, "tx") ||
         std::ranges::find(kErrorCounters, name, &ErrorCounter::name) != kErrorCounters.end();
}

std::optional<PauseFrames> pause_frames(const LinkHardware& link) {
  std::optional<PauseFrames> frames;
  for (const auto& [name, count] : link.statistics) {
    const bool received = is_pause(name, "rx");
    if (!received && !is_pause(name, "tx")) continue;
    if (!frames) frames.emplace();
    (received ? frames->received : frames->sent) += count;
  }
  return frames;
}

}  // namespace spark::host
