// Hosts under `external`: names of their own, and addresses that some rail reaches.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/check/check_claims.hpp"

namespace spark::config {
namespace {

bool is_in_subnet_of(const Segment& segment, const IpAddress& ip) {
  const auto holds = [&](const At<IpPrefix>& prefix) {
    return prefix.value.network().contains(ip);
  };
  return std::ranges::any_of(segment.subnets, holds) ||
         std::ranges::any_of(segment.ends, [&](const CageEnd& end) {
           return std::ranges::any_of(end.addresses, holds);
         });
}

void check_name_of(const Cluster& cluster, const std::string& name, const ExternalSpec& host,
                   Findings& findings) {
  const auto node = cluster.nodes.find(name);
  if (node == cluster.nodes.end()) return;
  const auto [earlier, later] = std::minmax(node->second.where, host.where);
  findings.add(SpecId::kExternalHost, later,
               fmt::format("{} is a node and an external host", in_quotes(name)),
               "an external host is no node of this file: rename one, or delete it",
               {{earlier, "first here"}});
}

void check_address(const Cluster& cluster, const std::string& name, const At<IpAddress>& address,
                   Findings& findings) {
  const auto& [ip, where] = address;
  if (const auto unusable = why_unusable(ip); !unusable.empty()) {
    findings.add(SpecId::kAddressUnusable, where,
                 fmt::format("{} is {}", in_quotes(ip.text()), unusable),
                 "no link can have it: choose another");
    return;
  }
  const bool is_reached = std::ranges::any_of(cluster.fabric.segments, [&](const Segment& segment) {
    return is_in_subnet_of(segment, ip);
  });
  if (is_reached || findings.structure_is_broken()) return;
  findings.add(SpecId::kExternalHost, where,
               fmt::format("no cable or switch leads to {} of {}", ip.text(), in_quotes(name)),
               "an external host is asked over the rails: its address is in the subnet of a cable "
               "or switch");
}

/// Each address belongs to one host.
void check_once(const Cluster& cluster, Findings& findings) {
  std::map<IpAddress, Where> first;
  for (const Claim& claim : claims_of(cluster)) first.try_emplace(claim.prefix.ip, claim.where);
  for (const auto& [name, host] : cluster.external) {
    for (const auto& [ip, where] : host.addresses) {
      const auto [seen, is_new] = first.try_emplace(ip, where);
      if (is_new) continue;
      const auto [earlier, later] = std::minmax(seen->second, where);
      findings.add(SpecId::kAddressTwice, later, fmt::format("address {} twice", ip.text()),
                   "an address belongs to one link of one host", {{earlier, "first here"}});
    }
  }
}

/// An address in the first subnet, for a line to paste.
std::string example_address(const Segment& segment) {
  constexpr std::uint64_t kNumber = 50;
  const auto ip = segment.subnets.empty() ? std::nullopt
                                          : segment.subnets.front().value.network().host(kNumber);
  return ip ? ip->text() : "192.168.177.50";
}

/// The node whose number makes the address on this cable; else the first one.
std::string node_of_address(const Cluster& cluster, const Segment& segment, const IpAddress& ip) {
  for (const auto& [name, node] : cluster.nodes) {
    for (const auto& subnet : segment.subnets) {
      if (node.number && subnet.value.host(node.number->value) == ip) return name;
    }
  }
  return cluster.nodes.empty() ? "spark1" : cluster.nodes.begin()->first;
}

/// An end without a cage that is no external host. False: it is one.
bool report_end(const Cluster& cluster, const Segment& segment, const At<std::string>& end,
                Findings& findings) {
  const auto& [name, where] = end;
  if (cluster.external.contains(name)) return false;
  if (cluster.nodes.contains(name)) {
    findings.add(
        SpecId::kExternalHost, where, fmt::format("{} has no cage here", in_quotes(name)),
        fmt::format("write {}:0, or another cage; a Spark has the cages 0 and 1 (seen from "
                    "the back, 0 is next to the RJ45 socket)",
                    name));
  } else if (const auto ip = IpAddress::parse(name)) {
    findings.add(SpecId::kUnknownNode, where, fmt::format("{} is an address", in_quotes(name)),
                 fmt::format("an end is a cage of a node, and the node's number makes its address: "
                             "write {}:0",
                             node_of_address(cluster, segment, *ip)));
  } else {
    findings.add(SpecId::kUnknownNode, where,
                 fmt::format("{} is no node:cage, and no external host", in_quotes(name)),
                 fmt::format("write the cage of a node, as in spark1:0; or, for a host that is no "
                             "node, at the top level: external: {{ {}: {{ addresses: [{}] }} }}",
                             name, example_address(segment)));
  }
  return true;
}

/// A cable whose other end is written without a cage.
void check_cable_to(const Cluster& cluster, const Segment& segment, Findings& findings) {
  const bool second_is_wrong =
      segment.second_external && report_end(cluster, segment, *segment.second_external, findings);
  if (report_end(cluster, segment, *segment.external, findings) || second_is_wrong) return;
  const auto& [name, where] = *segment.external;
  const auto& host = cluster.external.at(name);
  if (segment.ends.empty()) {
    findings.add(SpecId::kExternalHost, where, "a cable without a node",
                 "one end of a cable is a cage of a node");
  }
  for (const auto& subnet : segment.subnets) {
    const bool is_there = std::ranges::any_of(host.addresses, [&](const auto& address) {
      return subnet.value.network().contains(address.value);
    });
    if (is_there || host.addresses.empty()) continue;
    findings.add(SpecId::kExternalHost, subnet.where,
                 fmt::format("{} has no address in {}", in_quotes(name), subnet.value.text()),
                 "a rail needs an address at both ends: add one to the external host, or delete "
                 "the subnet",
                 {{host.where, "the host is here"}});
  }
}

}  // namespace

void check_external(const Checked& checked, Findings& findings) {
  const Cluster& cluster = checked.cluster;
  for (const auto& [name, host] : cluster.external) {
    check_name_of(cluster, name, host, findings);
    for (const auto& address : host.addresses) check_address(cluster, name, address, findings);
  }
  check_once(cluster, findings);
  for (const Segment& segment : cluster.fabric.segments) {
    if (segment.external) check_cable_to(cluster, segment, findings);
  }
}

}  // namespace spark::config
