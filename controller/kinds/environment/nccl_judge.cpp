#include "kinds/environment/nccl_judge.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "kinds/environment/nccl_environment.hpp"

namespace spark::kinds {
namespace {

using Rails = std::vector<const config::WantedLink*>;

Skipped without_common_family(const Rails& rails) {
  std::vector<std::string> each;
  for (const auto* rail : rails) {
    each.push_back(fmt::format("{} on '{}'", rail->addresses.front().value.text(), rail->name));
  }
  return {Skipped::Why::kNotEnforced, "SR-ENV-001",
          fmt::format("nothing is written: the rails have no address family in common ({}), and "
                      "NCCL knows one for all devices; give every rail an IPv4 subnet, or every "
                      "one an IPv6 subnet",
                      fmt::join(each, ", "))};
}

/// The name of a device may hold any visible character; what is written has no quotes, is a list,
/// and is read by shells.
bool is_plain(const std::string& name) {
  constexpr std::string_view kAlsoPlain = "._-";
  return std::ranges::all_of(name,
                             [&](char c) { return is_ascii_alnum(c) || kAlsoPlain.contains(c); });
}

std::optional<Skipped> unwritable_name(const config::Node& node, const Rails& rails) {
  std::vector<std::string> names{socket_link(node)};
  std::ranges::transform(rails, std::back_inserter(names),
                         [](const auto* rail) { return rail->rdma_port->device; });
  const auto odd = std::ranges::find_if_not(names, is_plain);
  if (odd == names.end()) return std::nullopt;
  return Skipped{Skipped::Why::kNotEnforced, "SR-ENV-007",
                 fmt::format("nothing is written: the name {} has characters that lists and shells "
                             "take for something else; rename the device to letters, digits, '.', "
                             "'_' and '-'",
                             spark::in_quotes(*odd))};
}

Skipped without_socket_link(const config::Node& node) {
  return {Skipped::Why::kNotEnforced, "SR-ENV-003",
          fmt::format("the socket variables are left out: no cable or switch is common to all "
                      "nodes, so sockets need the management link, and '{}' names none; add "
                      "`management: enP7s7` to the node, with the interface of its LAN",
                      node.name)};
}

/// Why no index is pinned, though the file asks for it; empty: one is.
std::optional<Skipped> without_pin(const Rails& rails) {
  if (agreed_gid_index(rails)) return std::nullopt;
  std::vector<std::string> each;
  for (const auto* rail : rails) {
    const auto& device = rail->rdma_port->device;
    const auto& ip = rail->addresses.front().value.ip;
    if (!rail->gid_index) {
      return Skipped{Skipped::Why::kWaiting, "SR-ENV-005",
                     fmt::format("no index is pinned: '{}' has no RoCE v2 GID of {} yet; the next "
                                 "apply after it has comes back to it",
                                 device, ip.text())};
    }
    each.push_back(fmt::format("{} at {} on '{}'", ip.text(), *rail->gid_index, device));
  }
  return Skipped{
      Skipped::Why::kNotEnforced, "SR-ENV-004",
      fmt::format("no index is pinned: the GIDs stand at different ones ({}), and NCCL "
                  "takes one for all devices; without it NCCL finds each by family, range "
                  "and version, so delete `gid_index: pinned`",
                  fmt::join(each, ", "))};
}

bool is_wanted(const config::WantedLink& rail, const IpAddress& ip) {
  return std::ranges::any_of(rail.addresses,
                             [&](const auto& address) { return address.value.ip == ip; });
}

/// An address of someone else on the rail that NCCL would take in place of ours: of the GIDs in the
/// range it takes the first of the table (ncclIbGetGidIndex in src/transport/net_ib/connect.cc).
std::optional<Skipped> misled_by_another_address(host::View& view, const config::WantedLink& rail,
                                                 const IpPrefix& range) {
  const auto* link = view.link(rail.name);
  const auto& addresses = view.addresses();
  if (link == nullptr || !addresses) {
    return std::nullopt;  // the kind of the address says so
  }
  const auto* port = view.rdma_port(*link);
  const auto index_of = [&](const IpAddress& ip) -> std::optional<std::uint32_t> {
    const auto gid = port == nullptr ? std::nullopt
                                     : view.rdma_gid(*port, ip, link->name).value_or(std::nullopt);
    return gid ? std::optional(gid->index) : std::nullopt;
  };
  for (const auto& address : *addresses) {
    const auto& ip = address.address.ip;
    if (address.link_index != link->index || !range.contains(ip) || ip.is_link_local() ||
        is_wanted(rail, ip)) {
      continue;
    }
    const auto theirs = index_of(ip);
    const auto ours = index_of(rail.addresses.front().value.ip);
    if (theirs && ours && *theirs < *ours) {
      return Skipped{
          Skipped::Why::kNotEnforced, "SR-ENV-006",
          fmt::format("NCCL would use {} on '{}' in place of {}: it is in "
                      "NCCL_IB_ADDR_RANGE too, and its GID comes first; remove that "
                      "address, or write `exclusive: true` for '{}'",
                      ip.text(), rail.name, rail.addresses.front().value.ip.text(), rail.name)};
    }
  }
  return std::nullopt;
}

/// An NCCL that pairs devices by their number, where each leads to another node.
std::optional<Skipped> nccl_without_subnets(const config::Node& node, const JobVersions& versions) {
  if (!node.fabric.by_subnet || !versions.nccl || *versions.nccl >= kNcclWithSubnets) {
    return std::nullopt;
  }
  return Skipped{
      Skipped::Why::kNotEnforced, "SR-ENV-008",
      fmt::format(
          "NCCL {} cannot use this fabric: its cables lead to several nodes, and an NCCL "
          "before {} takes the wrong one ('ibv_modify_qp failed', 110); use {} or later, or "
          "a build of the branch dgxspark-3node-ring",
          versions.nccl->text(), kNcclWithSubnets.text(), kNcclWithSubnets.text())};
}

}  // namespace

std::optional<Skipped> why_not_rendered(host::View& view, const config::Node& node) {
  if (const auto& links = view.links(); !links) return unreadable(links.error());
  if (const auto& ports = view.rdma_ports(); !ports) return unreadable(ports.error());
  const auto rails = nccl_rails(node);
  for (const auto* rail : rails) {
    const auto* link = view.link(rail->name);
    if (link == nullptr) return waiting_for_link(rail->name);
    if (!rail->rdma_port) return without_rdma_device(*link);
  }
  return common_family(rails) ? unwritable_name(node, rails)
                              : std::optional(without_common_family(rails));
}

std::vector<Skipped> shortfalls_of(host::View& view, const config::Node& node,
                                   const JobVersions& versions) {
  std::vector<Skipped> shortfalls;
  if (auto older = nccl_without_subnets(node, versions)) shortfalls.push_back(std::move(*older));
  const auto rails = nccl_rails(node);
  const auto range = address_range(rails, *common_family(rails));
  for (const auto* rail : rails) {
    if (auto misled = misled_by_another_address(view, *rail, range)) {
      shortfalls.push_back(std::move(*misled));
    }
  }
  if (socket_link(node).empty()) shortfalls.push_back(without_socket_link(node));
  if (node.environment->nccl_gid_index.value == config::GidIndex::kPinned) {
    if (auto open = without_pin(rails)) shortfalls.push_back(std::move(*open));
  }
  return shortfalls;
}

}  // namespace spark::kinds
