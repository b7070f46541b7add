#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gate/common/hints.hpp"
#include "host/hardware_signs.hpp"

namespace spark::gate {

std::string why_slow(host::View& view, const std::string& link) {
  const auto* hardware = view.hardware_of(link);
  if (hardware == nullptr) return "";
  std::vector<std::string> why;
  if (const auto& pcie = hardware->pcie;
      pcie && (pcie->width < pcie->max_width || pcie->speed != pcie->max_speed)) {
    why.push_back(host::pcie_text(*pcie));
  }
  if (host::iommu_translates(*hardware)) {
    why.push_back(fmt::format("the IOMMU translates (group type {}): `iommu.passthrough=1` at boot",
                              hardware->iommu));
  }
  return fmt::format("{}", fmt::join(why, "; "));
}

std::string why_no_carrier(host::View& view, const std::string& link) {
  const auto* hardware = view.hardware_of(link);
  if (hardware == nullptr) return "";
  const auto heat = host::module_heat(*hardware);
  constexpr std::int64_t kDegree = 1000;
  return heat && *heat >= host::kWarmModule
             ? fmt::format("the cable's module is at {} C: an optical one switches off when hot",
                           *heat / kDegree)
             : "";
}

std::string remedy_of_failed_registration(host::View& view) {
  const auto& hardware = view.hardware();
  const bool without = hardware && !host::is_on_command_line(hardware->command_line, "kho=off");
  return without ? "the limit is not why: `free -m`; some kernels need `kho=off` on their command "
                   "line for it, and this one runs without"
                 : "the limit is not why: `free -m`, then `journalctl -k`";
}

}  // namespace spark::gate
