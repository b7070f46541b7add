#include "gate/common/hints.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/dgx_names.hpp"
#include "host/hardware_signs.hpp"
#include "kinds/common/remedy.hpp"
#include "kinds/network/port_of.hpp"

namespace spark::gate {
namespace {

/// By the port that the driver names, "p0", or else by the name that DGX OS gives.
std::optional<int> cage_of(const host::LinkInfo& link) {
  if (link.phys_port_name == "p0" || link.phys_port_name == "p1") {
    return link.phys_port_name == "p0" ? 0 : 1;
  }
  const auto rail = config::rail_of_dgx_name(link.name);
  return rail ? std::optional(rail->cage) : std::nullopt;
}

bool is_in_file(const config::Node& node, int cage) {
  return std::ranges::any_of(node.links, [&](const auto& entry) {
    const auto& wanted = entry.second;
    return wanted.role == config::LinkRole::kRail && wanted.rail && wanted.rail->cage == cage;
  });
}

/// `links` alone names one of the two links of that cage: its cable serves something else.
bool serves_something_else(const config::Node& node, int cage) {
  return std::ranges::any_of(node.links, [&](const auto& entry) {
    const auto& wanted = entry.second;
    return wanted.role == config::LinkRole::kNamed && wanted.rail && wanted.rail->cage == cage;
  });
}

bool is_rail(const config::WantedLink& wanted) { return wanted.role == config::LinkRole::kRail; }

}  // namespace

std::optional<int> cage_with_cable(const config::Node& node, host::View& view,
                                   const std::string& link) {
  const auto* empty = view.link(link);
  const auto& links = view.links();
  // While a link is down nobody can tell whether it would have a carrier.
  if (empty == nullptr || !links || !empty->up || empty->carrier) return std::nullopt;
  for (const auto& other : *links) {
    const auto cage = other.phys_switch_id == empty->phys_switch_id ? cage_of(other) : std::nullopt;
    if (!cage || !other.carrier || is_in_file(node, *cage)) continue;
    if (!serves_something_else(node, *cage)) return cage;
  }
  return std::nullopt;
}

std::string remedy_of_absence(const config::Node& node, host::View& view) {
  const bool is_partial = std::ranges::any_of(node.links, [&view](const auto& entry) {
    return is_rail(entry.second) && view.link(entry.first) != nullptr;
  });
  if (is_partial) {
    return "other functions of the card are there, so no cable is missing: `journalctl -k -b`, "
           "then "
           "reboot; if it has another name here, write it under `cages:`";
  }
  return kinds::remedy_of_absent_card(view);
}

std::vector<std::string> cable_hints(const config::Node& node, host::View& view,
                                     const std::set<int>& told) {
  std::vector<std::string> hints;
  if (!view.links()) return hints;
  std::set<int> cages;
  std::vector<std::string> absent;
  for (const auto& [name, wanted] : node.links) {
    if (!is_rail(wanted)) continue;
    const auto* link = view.link(name);
    if (link == nullptr) {
      absent.push_back(name);
    } else if (link->up && !link->carrier && wanted.rail &&
               cages.insert(wanted.rail->cage).second) {
      const auto cage = cage_with_cable(node, view, name);
      if (cage && !told.contains(*cage)) {
        hints.push_back(fmt::format("cage {} has no carrier; {}", wanted.rail->cage,
                                    kinds::unnamed_cage_text(node, *cage)));
      }
    }
  }
  if (!absent.empty()) {
    hints.push_back(fmt::format("no such device: {}; {}", fmt::join(absent, ", "),
                                remedy_of_absence(node, view)));
  }
  return hints;
}

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
