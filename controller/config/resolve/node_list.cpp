#include <algorithm>
#include <cstdint>
#include <limits>

#include "config/resolve/nodes.hpp"

namespace spark::config {

std::optional<IpAddress> management_address(const NodeSpec& node) {
  if (!node.management) return std::nullopt;
  const auto link = node.links.find(node.management->value);
  if (link == node.links.end() || link->second.addresses.empty()) return std::nullopt;
  return link->second.addresses.front().value.ip;
}

std::vector<std::string> names_by_number(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const auto& [name, node] : cluster.nodes) names.push_back(name);
  std::ranges::stable_sort(names, {}, [&](const std::string& name) {
    const auto& number = cluster.nodes.at(name).number;
    return number ? number->value : std::numeric_limits<std::uint64_t>::max();
  });
  return names;
}

}  // namespace spark::config
