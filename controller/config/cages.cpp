#include "config/cages.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/units.hpp"

namespace spark::config {
namespace {

struct PciFunction {
  unsigned domain = 0;
  std::string_view slot;  ///< "01:00", bus and device
  int function = 0;
};

/// "0002:01:00.1" in its parts; empty for any other text.
std::optional<PciFunction> parse_pci(std::string_view address) {
  const auto colon = address.find(':');
  const auto dot = address.rfind('.');
  if (colon == std::string_view::npos || dot == std::string_view::npos || dot < colon ||
      dot + 2 != address.size() || address[dot + 1] < '0' || address[dot + 1] > '7') {
    return std::nullopt;
  }
  const auto domain = number_in<unsigned>(address.substr(0, colon), 16);
  if (!domain) return std::nullopt;
  return PciFunction{.domain = *domain,
                     .slot = address.substr(colon + 1, dot - colon - 1),
                     .function = address[dot + 1] - '0'};
}

/// "p0" and "p1", as mlx5 names the physical ports, to the cage.
std::optional<int> cage_of_port(std::string_view port) {
  if (port == "p0") return 0;
  return port == "p1" ? std::optional(1) : std::nullopt;
}

struct Candidate {
  int cage = 0;
  unsigned domain = 0;
  std::string_view name;
};

/// Gives each cage's candidates their rails, in the order of their PCI domains. A single candidate
/// of a cage is placed by its domain: rail 1 is in a domain above 0.
void place(std::vector<Candidate> candidates, Cages& cages) {
  std::ranges::sort(candidates, {}, [](const Candidate& c) { return std::pair(c.cage, c.domain); });
  for (const auto& candidate : candidates) {
    const Rail rail{candidate.cage, candidate.domain == 0 ? 0 : 1};
    cages.try_emplace(rail, candidate.name);
  }
}

std::vector<Candidate> by_switch_and_port(const std::vector<Netdev>& devices) {
  std::map<std::string_view, std::vector<Candidate>> cards;
  for (const auto& device : devices) {
    const auto cage = cage_of_port(device.phys_port_name);
    const auto pci = parse_pci(device.pci_address);
    if (cage && pci && !device.phys_switch_id.empty()) {
      cards[device.phys_switch_id].push_back({*cage, pci->domain, device.name});
    }
  }
  // A machine may hold another such card; the fabric is the one with the most rails.
  const auto fabric =
      std::ranges::max_element(cards, {}, [](const auto& card) { return card.second.size(); });
  return fabric == cards.end() ? std::vector<Candidate>{} : fabric->second;
}

/// On a Spark the ASIC's functions are 01:00.0 and 01:00.1 of the PCI domains 0000 and 0002.
std::vector<Candidate> by_pci_function(const std::vector<Netdev>& devices) {
  std::vector<Candidate> rails;
  for (const auto& device : devices) {
    const auto pci = parse_pci(device.pci_address);
    if (pci && pci->slot == "01:00" && pci->function <= 1 &&
        (pci->domain == 0 || pci->domain == 2)) {
      rails.push_back({pci->function, pci->domain, device.name});
    }
  }
  return rails;
}

}  // namespace

Cages find_cages(const std::vector<Netdev>& devices,
                 const std::map<int, std::vector<At<std::string>>>& named_in_file) {
  Cages cages;
  for (const auto& [cage, names] : named_in_file) {
    for (int rail = 0; rail < static_cast<int>(names.size()); ++rail) {
      cages.emplace(Rail{cage, rail}, names[static_cast<std::size_t>(rail)].value);
    }
  }
  if (!cages.empty()) return cages;
  place(by_switch_and_port(devices), cages);
  if (cages.empty()) place(by_pci_function(devices), cages);
  if (!cages.empty()) return cages;
  for (const auto& device : devices) {
    if (!device.pci_address.empty() && !parse_pci(device.pci_address)) continue;
    std::vector<std::string_view> names{device.name};
    names.insert(names.end(), device.altnames.begin(), device.altnames.end());
    for (const auto name : names) {
      if (const auto rail = rail_of_dgx_name(name)) cages.try_emplace(*rail, device.name);
    }
  }
  return cages;
}

std::size_t rails_of_cage(const NodeSpec& node, int cage) {
  constexpr std::size_t kRailsOfSpark = 2;
  const auto named = node.cages.find(cage);
  return named == node.cages.end() ? kRailsOfSpark : named->second.size();
}

std::size_t rails_of_cage(const Cluster& cluster, const CageEnd& end) {
  const auto node = cluster.nodes.find(end.node);
  return rails_of_cage(node == cluster.nodes.end() ? NodeSpec{} : node->second, end.cage);
}

std::size_t rails_at(const Cluster& cluster, const Segment& segment, const CageEnd& end) {
  auto rails = rails_of_cage(cluster, end);
  if (segment.kind == Segment::Kind::kCable) {
    for (const CageEnd& other : segment.ends) {
      rails = std::min(rails, rails_of_cage(cluster, other));
    }
  }
  return rails;
}

std::string link_of_rail(const NodeSpec& node, Rail rail) {
  const auto named = node.cages.find(rail.cage);
  const auto at = static_cast<std::size_t>(rail.rail);
  return named == node.cages.end() || at >= named->second.size() ? dgx_name(rail)
                                                                 : named->second[at].value;
}

std::uint32_t path_mtu_of(std::uint32_t mtu_bytes) {
  // GRH 40, UDP 8, BTH 12, XRC 4, atomic 28, ICRC 4.
  constexpr std::uint32_t kHeaders = 96;
  const auto payload = mtu_bytes > kHeaders ? mtu_bytes - kHeaders : 0;
  constexpr std::array<std::uint32_t, 5> kSteps{kLargestPathMtu, 2048, 1024, 512, 256};
  const auto step = std::ranges::find_if(kSteps, [&](auto bytes) { return bytes <= payload; });
  return step == kSteps.end() ? 0 : *step;
}

}  // namespace spark::config
