#include "state/select.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/resolve/resolve.hpp"
#include "plan/release_mark.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"
#include "state/node_record.hpp"

namespace spark::state {
namespace {

/// Where the GIDs stand today, for a file that wants them pinned.
void find_gid_indexes(host::View& view, config::Node& node) {
  if (!node.environment || node.environment->nccl_gid_index.value != config::GidIndex::kPinned) {
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

/// The file says by its machine id that the node is another machine.
bool is_another_machine(const config::Match& match, const host::Identity& identity) {
  return match.machine_id && match.machine_id->value != identity.machine_id;
}

/// A machine need not stay a node that was released.
bool was_released(host::View& view, const std::string& node) {
  const auto ledger = known_ledger(view, node);
  return ledger && plan::is_released(*ledger);
}

Error no_match(const config::Cluster& cluster, const host::Identity& identity, host::View& view) {
  std::vector<std::string> names;
  names.reserve(cluster.nodes.size());
  for (const auto& [name, node] : cluster.nodes) {
    names.push_back(name);
  }
  const auto last = remembered_node(view);
  return {
      ErrorCode::kNotFound,
      fmt::format("this machine is '{}' (machine id {}){}, and no node of the file matches it; the "
                  "file has: {}. Name one with -n, or give it `match: {{ hostname: {} }}`",
                  identity.hostname, identity.machine_id.empty() ? "unknown" : identity.machine_id,
                  last.empty() ? "" : fmt::format(", was the node '{}' so far", last),
                  fmt::join(names, ", "), identity.hostname)};
}

}  // namespace

std::vector<config::Netdev> netdevs(host::View& view, const std::vector<host::LinkInfo>& links) {
  std::vector<config::Netdev> devices;
  devices.reserve(links.size());
  for (const auto& link : links) {
    const auto* port = view.rdma_port(link);
    devices.push_back({link.name, link.altnames, link.phys_switch_id, link.phys_port_name,
                       link.parent_bus == "pci" ? link.parent_device : "",
                       port == nullptr
                           ? std::nullopt
                           : std::optional(config::RdmaPlace{port->device, port->port})});
  }
  return devices;
}

Result<OwnNode> own_node(const config::Cluster& cluster, host::View& view) {
  const auto& identity = view.identity();
  if (!identity) return std::unexpected(identity.error());
  if (auto name = config::match_node(cluster, identity->hostname, identity->machine_id);
      !name.empty()) {
    return OwnNode{.name = std::move(name)};
  }
  auto last = remembered_node(view);
  const auto node = cluster.nodes.find(last);
  if (node == cluster.nodes.end() || is_another_machine(node->second.match, *identity)) {
    return OwnNode{};
  }
  return OwnNode{.name = std::move(last), .remembered = true};
}

Result<Selection> select(const config::Cluster& cluster, const std::string& asked,
                         host::View& view) {
  const auto& identity = view.identity();
  if (!identity) return std::unexpected(identity.error());
  auto own = own_node(cluster, view);
  if (!own) return std::unexpected(own.error());
  if (asked.empty() && own->name.empty()) {
    return std::unexpected(no_match(cluster, *identity, view));
  }
  if (!asked.empty() && own->remembered && asked != own->name && was_released(view, own->name)) {
    *own = {};
  }
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  auto node = config::resolve(cluster, asked.empty() ? own->name : asked, netdevs(view, *links));
  if (!node) return std::unexpected(node.error());
  if (own->name.empty() || own->name == node->name) {
    if (auto owned = check_owner(view, node->name); !owned) return std::unexpected(owned.error());
  }
  find_gid_indexes(view, *node);
  return Selection{std::move(*node), std::move(own->name), own->remembered};
}

}  // namespace spark::state
