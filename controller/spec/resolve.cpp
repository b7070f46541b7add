#include "spec/resolve.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spark {
namespace {

bool has_ipv6(const std::vector<At<IpPrefix>>& addresses) {
  return std::ranges::any_of(addresses, [](const auto& a) { return !a.value.ip.is_v4(); });
}

/// The device of a rail, or the name it is expected to have. Where another rail's device bears that
/// name, the rail is named by its place, so that nothing meant for it reaches the wrong port.
std::string device_of(const Cages& cages, Rail rail) {
  if (const auto found = cages.find(rail); found != cages.end()) {
    return found->second;
  }
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
  link.up = At<bool>{true, end.where};
  link.addresses = {address};
  // A link-local address adds a GID and may move the others. Rails that carry IPv6 need one; made
  // from the MAC it equals the port's default GID and adds none.
  const auto mode = has_ipv6(link.addresses) ? LinkLocalMode::kEui64 : LinkLocalMode::kNone;
  link.link_local = At<LinkLocalMode>{mode, end.where};
  return link;
}

void add_segments(const Cluster& cluster, const Cages& cages, Node& node) {
  for (const auto& segment : cluster.fabric.segments) {
    for (const auto& end : segment.ends) {
      if (end.node != node.name) {
        continue;
      }
      const auto ours = addresses_of(cluster, segment, end);
      for (std::size_t i = 0; i < ours.size(); ++i) {
        const Rail rail{end.cage, static_cast<int>(i)};
        auto link = rail_link(cluster.fabric, segment, end, ours[i], rail, device_of(cages, rail));
        for (const auto& other : segment.ends) {
          const auto theirs = addresses_of(cluster, segment, other);
          if (other.node != node.name && i < theirs.size()) {
            node.peers.push_back({other.node, theirs[i].value.ip, link.name,
                                  ours[i].value.network(), segment.where, other.cage,
                                  static_cast<int>(i), segment.name});
          }
        }
        node.links.insert_or_assign(link.name, std::move(link));
      }
    }
  }
}

/// Cages that no cable, switch, `links:` entry or storage route names go down, both rails.
void add_unused_cages(const Cluster& cluster, const Cages& cages, const NodeSpec& spec,
                      Node& node) {
  const auto& fabric = cluster.fabric;
  const auto carries_storage = [&](const std::string& name) {
    return std::ranges::any_of(cluster.storage, [&](const auto& target) {
      return target.via && target.via->value == name;
    });
  };
  if (fabric.unused_cages.value != UnusedCages::kDown) {
    return;
  }
  for (int cage = 0; cage <= 1; ++cage) {
    const std::vector<std::string> rails{device_of(cages, {cage, 0}), device_of(cages, {cage, 1})};
    const bool named = std::ranges::any_of(rails, [&](const std::string& name) {
      return node.links.contains(name) || spec.links.contains(name) || carries_storage(name);
    });
    if (named) {
      continue;
    }
    for (int rail = 0; rail <= 1; ++rail) {
      const auto& name = rails[static_cast<std::size_t>(rail)];
      node.links.emplace(name, WantedLink{.name = name,
                                          .role = LinkRole::kUnused,
                                          .rail = Rail{cage, rail},
                                          .where = fabric.unused_cages.where,
                                          .up = At<bool>{false, fabric.unused_cages.where}});
    }
  }
}

/// Lays what `links:` says of one device over what its cable says: the closer word wins.
void add_named_links(const NodeSpec& spec, const Cages& cages, Node& node) {
  for (const auto& [name, asked] : spec.links) {
    auto& link = node.links.try_emplace(name, WantedLink{.name = name}).first->second;
    link.where = asked.where;
    for (const auto& [rail, device] : cages) {
      if (device == name) {
        link.rail = rail;
      }
    }
    if (asked.mtu) {
      link.mtu = asked.mtu;
    }
    if (asked.up) {
      link.up = asked.up;
    }
    if (asked.link_local) {
      link.link_local = asked.link_local;
    }
    link.addresses.insert(link.addresses.end(), asked.addresses.begin(), asked.addresses.end());
    link.exclusive = asked.exclusive;
    link.owner_host = asked.owner_host;
  }
}

void add_hosts(const At<std::string>& suffix, Node& node) {
  std::vector<HostName> lines;
  std::set<std::string> seen;
  for (const auto& peer : node.peers) {
    if (peer.rail == 0 && seen.insert(peer.node).second) {
      lines.push_back({peer.ip, peer.node + suffix.value});
    }
  }
  node.hosts = At<std::vector<HostName>>{std::move(lines), suffix.where};
}

void add_unheld(const Cluster& cluster, const NodeSpec& spec, Node& node) {
  const auto add = [&](std::string kind, std::string key, Where where) {
    node.unheld.push_back({std::move(kind), std::move(key), where});
  };
  const auto& own = spec.settings;
  if (cluster.take_over.value) {
    add("fence", "take_over", cluster.take_over.where);
  }
  for (const auto& module :
       own.modules.value_or(cluster.host.modules.value_or(std::vector<At<std::string>>{}))) {
    add("module", module.value, module.where);
  }
  if (const auto& memlock = own.memlock ? own.memlock : cluster.host.memlock) {
    add("memlock",
        memlock->value.bytes ? fmt::format("{} bytes", *memlock->value.bytes)
                             : std::string("unlimited"),
        memlock->where);
  }
  if (const auto& mode = own.rdma_cm_mode ? own.rdma_cm_mode : cluster.host.rdma_cm_mode) {
    add("roce", "rdma_cm_mode", mode->where);
  }
  for (const auto& target : cluster.storage) {
    bool used = target.mounts.empty();
    for (const auto& mount : target.mounts) {
      const bool reads = std::ranges::any_of(
          mount.read_only, [&](const auto& reader) { return reader.value == node.name; });
      if (reads || (mount.read_write && mount.read_write->value == node.name)) {
        used = true;
        add("mount", mount.path.value, mount.where);
      }
    }
    if (used) {
      add("nvme", target.nqn.value, target.where);
    }
  }
  if (cluster.environment) {
    add("environment", "nccl", cluster.environment->where);
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
      if (id_fits && host_fits) {
        return name;
      }
    } else if (name == hostname) {
      return name;
    }
  }
  return {};
}

std::vector<At<IpPrefix>> addresses_of(const Cluster& cluster, const Segment& segment,
                                       const CageEnd& end) {
  if (!end.addresses.empty()) {
    return end.addresses;
  }
  std::vector<At<IpPrefix>> addresses;
  const auto node = cluster.nodes.find(end.node);
  if (node == cluster.nodes.end() || !node->second.host) {
    return addresses;
  }
  for (const auto& subnet : segment.subnets) {
    if (const auto ip = subnet.value.host(node->second.host->value)) {
      addresses.push_back({{*ip, subnet.value.prefix_len}, subnet.where});
    }
  }
  return addresses;
}

Result<Node> resolve(const Cluster& cluster, const std::string& name,
                     const std::vector<Netdev>& devices) {
  const auto found = cluster.nodes.find(name);
  if (found == cluster.nodes.end()) {
    std::vector<std::string> names;
    for (const auto& [known, node] : cluster.nodes) {
      names.push_back(known);
    }
    return fail(ErrorCode::kNotFound,
                fmt::format("the file has no node '{}'; it has: {}", name, fmt::join(names, ", ")));
  }
  const auto& spec = found->second;
  Node node{.name = name, .cluster = cluster.name, .digest = cluster.digest};
  node.management = spec.management;

  const auto cages = find_cages(devices, spec.cages);
  add_segments(cluster, cages, node);
  add_unused_cages(cluster, cages, spec, node);
  add_named_links(spec, cages, node);

  node.sysctl = spec.settings.sysctl;
  node.sysctl.insert(cluster.host.sysctl.begin(), cluster.host.sysctl.end());
  if (const auto& suffix =
          spec.settings.hosts_suffix ? spec.settings.hosts_suffix : cluster.host.hosts_suffix) {
    add_hosts(*suffix, node);
  }
  add_unheld(cluster, spec, node);
  return node;
}

}  // namespace spark
