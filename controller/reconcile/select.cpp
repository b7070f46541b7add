#include "reconcile/select.hpp"

#include <optional>
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
    const auto* port = view.rdma_port(link);
    devices.push_back(
        {link.name, link.altnames, link.phys_switch_id, link.phys_port_name,
         link.parent_bus == "pci" ? link.parent_device : "",
         port == nullptr ? std::nullopt : std::optional(RdmaPlace{port->device, port->port})});
  }
  return devices;
}

/// Where the GIDs stand today, for a file that wants them pinned.
void find_gid_indexes(View& view, Node& node) {
  if (!node.environment || node.environment->nccl_gid_index.value != GidIndex::kPinned) {
    return;
  }
  for (auto& [name, wanted] : node.links) {
    const auto* link = view.link(name);
    const auto* port = link == nullptr ? nullptr : view.rdma_port(*link);
    if (port == nullptr || wanted.addresses.empty()) {
      continue;
    }
    // What cannot be read is not there: the kind says so.
    const auto gid = view.rdma_gid(*port, wanted.addresses.front().value.ip, link->name);
    wanted.gid_index = gid && *gid ? std::optional((*gid)->index) : std::nullopt;
  }
}

Error no_match(const Cluster& cluster, const Identity& identity) {
  std::vector<std::string> names;
  names.reserve(cluster.nodes.size());
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
  find_gid_indexes(view, *node);
  return Selection{std::move(*node), std::move(matched)};
}

}  // namespace spark
