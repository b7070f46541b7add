#include "gate/common/hardware_hints.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spark::gate {
namespace {

/// Active optical cables warn at 70 and drop the link at 75 (SFF-8636 thresholds of those seen on
/// Sparks).
constexpr std::int64_t kWarmModule = 70'000;

bool is_word_of(std::string_view command_line, std::string_view word) {
  const auto at = command_line.find(word);
  const auto end = at + word.size();
  return at != std::string_view::npos && (at == 0 || command_line[at - 1] == ' ') &&
         (end == command_line.size() || command_line[end] == ' ' || command_line[end] == '\n');
}

std::string text_of(std::string_view speed, std::uint32_t width) {
  constexpr std::string_view kBus = " PCIe";  // as sysfs ends it: "32.0 GT/s PCIe"
  if (speed.ends_with(kBus)) {
    speed.remove_suffix(kBus.size());
  }
  return fmt::format("{} x{}", speed, width);
}

}  // namespace

std::string why_slow(host::View& view, const std::string& link) {
  const auto* hardware = view.hardware_of(link);
  if (hardware == nullptr) {
    return "";
  }
  std::vector<std::string> why;
  if (const auto& pcie = hardware->pcie;
      pcie && (pcie->width < pcie->max_width || pcie->speed != pcie->max_speed)) {
    why.push_back(fmt::format("PCIe runs at {}, the device could {}",
                              text_of(pcie->speed, pcie->width),
                              text_of(pcie->max_speed, pcie->max_width)));
  }
  if (hardware->iommu.starts_with("DMA")) {
    why.push_back(fmt::format("the IOMMU translates (group type {}): `iommu.passthrough=1` at boot",
                              hardware->iommu));
  }
  return fmt::format("{}", fmt::join(why, "; "));
}

std::string why_no_carrier(host::View& view, const std::string& link) {
  const auto* hardware = view.hardware_of(link);
  if (hardware == nullptr) {
    return "";
  }
  constexpr std::string_view kModule = "Module";  // of mlx5: "Module0", beside "asic"
  for (const auto& [sensor, temperature] : hardware->temperatures) {
    if (sensor.starts_with(kModule) && temperature >= kWarmModule) {
      return fmt::format("the cable's module is at {} C: an optical one switches off when hot",
                         temperature / 1000);
    }
  }
  return "";
}

std::string remedy_of_failed_registration(host::View& view) {
  const auto& hardware = view.hardware();
  const bool without = hardware && !is_word_of(hardware->command_line, "kho=off");
  return without ? "the limit is not why: `free -m`; some kernels need `kho=off` on their command "
                   "line for it, and this one runs without"
                 : "the limit is not why: `free -m`, then `journalctl -k`";
}

}  // namespace spark::gate
