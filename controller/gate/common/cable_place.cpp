#include "gate/common/cable_place.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "config/dgx_names.hpp"

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

}  // namespace

std::string cable_elsewhere(const config::Node& node, host::View& view, const std::string& link) {
  const auto* empty = view.link(link);
  const auto& links = view.links();
  if (empty == nullptr || !links) {
    return "";
  }
  for (const auto& other : *links) {
    const auto cage = other.phys_switch_id == empty->phys_switch_id ? cage_of(other) : std::nullopt;
    if (cage && other.carrier && !is_in_file(node, *cage)) {
      return fmt::format(
          "cage {} has a carrier and is not in the file: move the plug, or write {}:{} in `ends`",
          *cage, node.name, *cage);
    }
  }
  return "";
}

}  // namespace spark::gate
