#include "reconcile/select.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "spec/resolve.hpp"

namespace spark {
namespace {

std::vector<Netdev> netdevs(View& view, const std::vector<LinkInfo>& links) {
  std::vector<Netdev> devices;
  devices.reserve(links.size());
  for (const auto& link : links) {
    devices.push_back({link.name, link.altnames, link.phys_switch_id, link.phys_port_name,
                       link.parent_bus == "pci" ? link.parent_device : "",
                       view.rdma_port(link) != nullptr});
  }
  return devices;
}

Error no_match(const Cluster& cluster, const Identity& identity) {
  std::vector<std::string> names;
  for (const auto& [name, node] : cluster.nodes) {
    names.push_back(name);
  }
  return {
      ErrorCode::kNotFound,
      fmt::format("this machine is '{}' (machine id {}), and no node of the file matches it; the "
                  "file has: {}. Name one with -n, or give it `match: {{ hostname: {} }}`",
                  identity.hostname, identity.machine_id.empty() ? "unknown" : identity.machine_id,
                  fmt::join(names, ", "), identity.hostname)};
}

}  // namespace

Result<Selection> select(const Cluster& cluster, const std::string& asked, View& view) {
  const auto& identity = view.identity();
  if (!identity) return std::unexpected(identity.error());
  auto matched = match_node(cluster, identity->hostname, identity->machine_id);
  if (asked.empty() && matched.empty()) {
    return std::unexpected(no_match(cluster, *identity));
  }
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  auto node = resolve(cluster, asked.empty() ? matched : asked, netdevs(view, *links));
  if (!node) return std::unexpected(node.error());
  return Selection{std::move(*node), std::move(matched)};
}

}  // namespace spark
