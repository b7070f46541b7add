#include "config/resolve/resolve.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/cages.hpp"
#include "config/resolve/nodes.hpp"

namespace spark::config {
namespace {

/// What the kernel calls the device that the file names, which may be by an alternative name. A
/// name that no device has stays: its device may come.
std::string kernel_name(const std::vector<Netdev>& devices, const std::string& name) {
  const auto bears = [&](const Netdev& device) {
    return device.name == name || std::ranges::find(device.altnames, name) != device.altnames.end();
  };
  // A name goes before an alternative one: the kernel keeps them apart only within a device.
  auto found = std::ranges::find(devices, name, &Netdev::name);
  found = found != devices.end() ? found : std::ranges::find_if(devices, bears);
  return found == devices.end() ? name : found->name;
}

/// The node's part of the file, every device under the kernel's name for it.
/// Errors: kInvalid when two names under `links` are one device here.
Result<NodeSpec> with_kernel_names(NodeSpec spec, const std::vector<Netdev>& devices) {
  const auto translate = [&](At<std::string>& name) {
    name.value = kernel_name(devices, name.value);
  };
  if (spec.management) translate(*spec.management);
  for (auto& [cage, names] : spec.cages) std::ranges::for_each(names, translate);
  std::map<std::string, LinkSpec> links;
  for (auto& [name, link] : spec.links) {
    const auto kernels = kernel_name(devices, name);
    if (!links.emplace(kernels, std::move(link)).second) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("'{}' under `links` is the device '{}', which is there by another "
                              "name too: write both under one",
                              name, kernels));
    }
  }
  spec.links = std::move(links);
  return spec;
}

bool has_ipv6(const std::vector<At<IpPrefix>>& addresses) {
  return std::ranges::any_of(addresses, [](const auto& a) { return !a.value.ip.is_v4(); });
}

/// The device of a rail, or the name it is expected to have. Where another rail's device bears that
/// name, the rail is named by its place, so that nothing meant for it reaches the wrong port.
std::string device_of(const Cages& cages, Rail rail) {
  if (const auto found = cages.find(rail); found != cages.end()) return found->second;
  auto expected = dgx_name(rail);
  const bool taken =
      std::ranges::any_of(cages, [&](const auto& cage) { return cage.second == expected; });
  return taken ? fmt::format("cage {} rail {}", rail.cage, rail.rail) : expected;
}

/// What a cable or switch asks of one rail.
WantedLink rail_link(const Fabric& fabric, const Segment& segment, const CageEnd& end,
                     const At<IpPrefix>& address, Rail rail, std::string name) {
  WantedLink link{
      .name = std::move(name), .role = LinkRole::kRail, .rail = rail, .where = end.where};
  link.mtu = segment.mtu ? segment.mtu : fabric.mtu;
  link.speed = segment.speed ? segment.speed : fabric.speed;
  link.up = At<bool>{true, end.where};
  link.rdma = true;
  link.addresses = {address};
  // A link-local address adds a GID and may move the others. Rails that carry IPv6 need one; made
  // from the MAC it equals the port's default GID and adds none.
  const auto mode = has_ipv6(link.addresses) ? LinkLocalMode::kEui64 : LinkLocalMode::kNone;
  link.link_local = At<LinkLocalMode>{mode, end.where};
  return link;
}

/// The hosts that are no nodes and have an address in the rail's subnet.
void add_external_peers(const Cluster& cluster, const Segment& segment, const WantedLink& rail,
                        Node& node) {
  const auto& ours = rail.addresses.front().value;
  for (const auto& [name, host] : cluster.external) {
    for (const auto& address : host.addresses) {
      if (!ours.network().contains(address.value)) continue;
      node.peers.push_back({.node = name,
                            .ip = address.value,
                            .local = ours.ip,
                            .link = rail.name,
                            .subnet = ours.network(),
                            .where = address.where,
                            .rail = rail.rail->rail,
                            .segment = segment.name,
                            .external = true});
    }
  }
}

void add_segments(const Cluster& cluster, const Cages& cages, Node& node) {
  for (const auto& segment : cluster.fabric.segments) {
    for (const auto& end : segment.ends) {
      const auto ours = addresses_of(cluster, segment, end);
      for (const auto& address : ours) {
        node.ends.push_back({.node = end.node, .cage = end.cage, .ip = address.value.ip});
      }
      if (end.node != node.name) continue;
      for (std::size_t i = 0; i < ours.size(); ++i) {
        const Rail rail{end.cage, static_cast<int>(i)};
        auto link = rail_link(cluster.fabric, segment, end, ours[i], rail, device_of(cages, rail));
        for (const auto& other : segment.ends) {
          const auto theirs = addresses_of(cluster, segment, other);
          if (other.node != node.name && i < theirs.size()) {
            node.peers.push_back({.node = other.node,
                                  .ip = theirs[i].value.ip,
                                  .local = ours[i].value.ip,
                                  .link = link.name,
                                  .subnet = ours[i].value.network(),
                                  .where = segment.where,
                                  .cage = other.cage,
                                  .rail = static_cast<int>(i),
                                  .segment = segment.name});
          }
        }
        add_external_peers(cluster, segment, link, node);
        node.links.insert_or_assign(link.name, std::move(link));
      }
    }
  }
}

/// The rails of each cage that the machine has, by the file: those of a Spark, or those of `cages`.
std::vector<std::vector<Rail>> rails_by_cage(const NodeSpec& spec) {
  std::set<int> cages{0, 1};
  if (!spec.cages.empty()) {
    cages.clear();
    for (const auto& [cage, names] : spec.cages) cages.insert(cage);
  }
  std::vector<std::vector<Rail>> rails;
  for (const int cage : cages) {
    auto& of_cage = rails.emplace_back();
    for (std::size_t rail = 0; rail < rails_of_cage(spec, cage); ++rail) {
      of_cage.push_back({cage, static_cast<int>(rail)});
    }
  }
  return rails;
}

/// Cages that no cable, switch, `links:` entry or storage route names go down, with all rails.
void add_unused_cages(const Fabric& fabric, const Cages& cages, const NodeSpec& spec,
                      const std::vector<NvmeTarget>& targets, Node& node) {
  const auto carries_storage = [&](const std::string& name) {
    return std::ranges::any_of(
        targets, [&](const auto& target) { return target.via && target.via->value == name; });
  };
  if (fabric.unused_cages.value != UnusedCages::kDown) return;
  for (const auto& rails : rails_by_cage(spec)) {
    const bool named = std::ranges::any_of(rails, [&](const Rail& rail) {
      const auto name = device_of(cages, rail);
      return node.links.contains(name) || spec.links.contains(name) || carries_storage(name);
    });
    if (named) continue;
    for (const Rail& rail : rails) {
      const auto name = device_of(cages, rail);
      node.links.emplace(name, WantedLink{.name = name,
                                          .role = LinkRole::kUnused,
                                          .rail = rail,
                                          .where = fabric.unused_cages.where,
                                          .up = At<bool>{false, fabric.unused_cages.where}});
    }
  }
}

void add_twins(const Cages& cages, Node& node) {
  for (const auto& [name, link] : node.links) {
    if (!link.rail || link.addresses.empty() || link.owner_host) continue;
    const auto twin = cages.find({link.rail->cage, 1 - link.rail->rail});
    if (twin != cages.end() && !node.links.contains(twin->second)) {
      node.twins.emplace(twin->second, link.where);
    }
  }
}

/// Lays what `links:` says of one device over what its cable says: the closer word wins.
void add_named_links(const NodeSpec& spec, const Cages& cages, const std::vector<Netdev>& devices,
                     Node& node) {
  for (const auto& [name, asked] : spec.links) {
    auto& link = node.links.try_emplace(name, WantedLink{.name = name}).first->second;
    link.where = asked.where;
    for (const auto& [rail, device] : cages) {
      if (device == name) link.rail = rail;
    }
    const auto device = std::ranges::find(devices, name, &Netdev::name);
    // While it is away its cage stays in use.
    const auto by_name = device == devices.end() ? rail_of_dgx_name(name) : std::nullopt;
    if (!link.rail && by_name && !cages.contains(*by_name)) link.rail = by_name;
    if (asked.mtu) link.mtu = asked.mtu;
    if (asked.up) link.up = asked.up;
    if (asked.link_local) link.link_local = asked.link_local;
    link.addresses.insert(link.addresses.end(), asked.addresses.begin(), asked.addresses.end());
    link.routes = asked.routes;
    link.rdma |= device != devices.end() && device->rdma.has_value();
    link.exclusive = asked.exclusive;
    link.owner_host = asked.owner_host;
  }
}

void add_rdma_ports(const std::vector<Netdev>& devices, Node& node) {
  for (const auto& device : devices) {
    if (const auto link = node.links.find(device.name); link != node.links.end()) {
      link->second.rdma_port = device.rdma;
    }
  }
}

void add_hosts(const At<std::string>& suffix, Node& node) {
  std::vector<HostName> lines;
  std::set<std::string> seen;
  for (const auto& peer : node.peers) {
    if (!peer.external && peer.rail == 0 && seen.insert(peer.node).second) {
      lines.push_back({peer.ip, peer.node + suffix.value});
    }
  }
  node.hosts = At<std::vector<HostName>>{std::move(lines), suffix.where};
}

/// What `host:` says for every node, with what the node's own keys say laid over it.
void add_settings(const HostSettings& common, const HostSettings& own, Node& node) {
  node.sysctl = own.sysctl;
  node.sysctl.insert(common.sysctl.begin(), common.sysctl.end());
  node.modules = own.modules ? *own.modules : common.modules.value_or(node.modules);
  node.memlock = own.memlock ? own.memlock : common.memlock;
  node.rdma_cm_mode = own.rdma_cm_mode ? own.rdma_cm_mode : common.rdma_cm_mode;
  if (const auto& suffix = own.hosts_suffix ? own.hosts_suffix : common.hosts_suffix) {
    add_hosts(*suffix, node);
  }
}

/// What is written lies over what is there.
template <class T>
void lay_over(const At<T>& own, At<T>& value) {
  if (own.where.line != 0) value = own;
}
template <class T>
void lay_over(const std::optional<At<T>>& own, std::optional<At<T>>& value) {
  if (own) value = own;
}

Ready ready_of(const Ready& common, const Ready& own) {
  Ready ready = common;
  lay_over(own.loopback_minimum, ready.loopback_minimum);
  lay_over(own.loopback_deadline, ready.loopback_deadline);
  lay_over(own.storage, ready.storage);
  lay_over(own.peers, ready.peers);
  lay_over(own.key_file, ready.key_file);
  return ready;
}

std::optional<Environment> environment_of(const std::optional<Environment>& common,
                                          const std::optional<Environment>& own) {
  if (!common || !own) return own ? own : common;
  Environment environment = *common;
  lay_over(own->profile, environment.profile);
  lay_over(own->nccl_mode, environment.nccl_mode);
  lay_over(own->nccl_gid_index, environment.nccl_gid_index);
  for (const auto& [name, value] : own->variables) {
    environment.variables.insert_or_assign(name, value);
  }
  environment.extra.insert(own->extra.begin(), own->extra.end());
  return environment;
}

bool mounts(const MountSpec& mount, const std::string& node) {
  return (mount.read_write && mount.read_write->value == node) ||
         std::ranges::any_of(mount.read_only,
                             [&](const auto& reader) { return reader.value == node; });
}

/// The targets that this node connects to: those it mounts something of, and those that nobody
/// does.
void add_storage(const std::vector<NvmeTarget>& targets, Node& node) {
  for (auto target : targets) {
    const bool for_all = target.mounts.empty();
    std::erase_if(target.mounts, [&](const MountSpec& mount) { return !mounts(mount, node.name); });
    if (for_all || !target.mounts.empty()) node.storage.push_back(std::move(target));
  }
}

}  // namespace

std::string match_node(const Cluster& cluster, const std::string& hostname,
                       const std::string& machine_id) {
  for (const auto& [name, node] : cluster.nodes) {
    const auto& match = node.match;
    if (match.machine_id || match.hostname) {
      const bool id_fits = !match.machine_id || match.machine_id->value == machine_id;
      const bool host_fits = !match.hostname || match.hostname->value == hostname;
      if (id_fits && host_fits) return name;
    } else if (name == hostname) {
      return name;
    }
  }
  return {};
}

std::vector<At<IpPrefix>> addresses_of(const Cluster& cluster, const Segment& segment,
                                       const CageEnd& end) {
  if (!end.addresses.empty()) return end.addresses;
  std::vector<At<IpPrefix>> addresses;
  const auto node = cluster.nodes.find(end.node);
  if (node == cluster.nodes.end() || !node->second.number) return addresses;
  for (const auto& subnet : segment.subnets) {
    if (const auto ip = subnet.value.host(node->second.number->value)) {
      addresses.push_back({{*ip, subnet.value.prefix_len}, subnet.where});
    }
  }
  addresses.resize(std::min(addresses.size(), rails_at(cluster, segment, end)));
  return addresses;
}

Result<Node> resolve(const Cluster& cluster, const std::string& name,
                     const std::vector<Netdev>& devices) {
  const auto found = cluster.nodes.find(name);
  if (found == cluster.nodes.end()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("the file has no node '{}'; it has: {}", name,
                            fmt::join(std::views::keys(cluster.nodes), ", ")));
  }
  const auto named = with_kernel_names(found->second, devices);
  if (!named) return std::unexpected(named.error());
  const auto& spec = *named;
  auto targets = cluster.storage;
  for (auto& target : targets) {
    if (target.via) target.via->value = kernel_name(devices, target.via->value);
  }
  Node node{.name = name, .cluster = cluster.name, .digest = cluster.digest};
  node.management = spec.management;
  node.environment = environment_of(cluster.environment, spec.environment);
  node.ready = ready_of(cluster.ready, spec.ready);
  node.take_over = cluster.take_over;

  const auto cages = find_cages(devices, spec.cages);
  add_segments(cluster, cages, node);
  add_unused_cages(cluster.fabric, cages, spec, targets, node);
  add_named_links(spec, cages, devices, node);
  add_twins(cages, node);
  add_rdma_ports(devices, node);
  node.fabric = shape_of_fabric(cluster, node);

  add_settings(cluster.host, spec.settings, node);
  add_storage(targets, node);
  return node;
}

}  // namespace spark::config
