#include "state/select.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "config/resolve/resolve.hpp"
#include "plan/release.hpp"
#include "state/journal.hpp"
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
    if (port == nullptr || wanted.addresses.empty()) continue;
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

/// The digits of a host name, by which machines of one cluster differ: "02" is "2".
std::string digits_of(std::string_view name) {
  std::string digits;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = i == 0 || !is_ascii_digit(name[i - 1]);
    const bool is_padding =
        begins && name[i] == '0' && i + 1 < name.size() && is_ascii_digit(name[i + 1]);
    if (is_ascii_digit(name[i]) && !is_padding) digits += name[i];
  }
  return digits;
}

/// The host name of the file that this machine's may be a misspelling of; empty: none is near.
std::string host_name_meant(const config::Cluster& cluster, const host::Identity& identity) {
  const auto own = identity.hostname.substr(0, identity.hostname.find('.'));
  std::vector<std::string_view> names;
  for (const auto& [name, node] : cluster.nodes) {
    const auto& host = node.match.hostname ? node.match.hostname->value : name;
    // spark4 is no misspelling of spark1: that is another machine.
    if (digits_of(host) == digits_of(own) && !is_another_machine(node.match, identity)) {
      names.push_back(host);
    }
  }
  return std::string(closest(own, names).value_or(""));
}

NoNode none_of(const config::Cluster& cluster, const host::Identity& identity, host::View& view) {
  std::vector<std::string_view> names;
  bool goes_by_id = false;
  for (const auto& [name, node] : cluster.nodes) {
    names.push_back(name);
    goes_by_id = goes_by_id || node.match.machine_id;
  }
  const auto id = identity.machine_id.empty() ? "unknown" : identity.machine_id;
  const auto last = remembered_node(view);
  const auto meant = host_name_meant(cluster, identity);
  return {
      .what = fmt::format("this machine is called '{}'{}{}, and no node of the file is; the file "
                          "has: {}",
                          identity.hostname, goes_by_id ? fmt::format(" (machine id {})", id) : "",
                          last.empty() ? "" : fmt::format(", was the node '{}' so far", last),
                          fmt::join(names, ", ")),
      .remedy =
          meant.empty()
              ? fmt::format("if it is one of them, write `match: {{ hostname: {} }}` below that "
                            "node in the file, or give this machine the node's name: `sudo "
                            "hostnamectl set-hostname NAME`",
                            identity.hostname)
              : fmt::format("did you mean '{0}'? `sudo hostnamectl set-hostname {0}`", meant)};
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

std::optional<NoNode> why_no_node(const config::Cluster& cluster, host::View& view) {
  const auto& identity = view.identity();
  const auto own = own_node(cluster, view);
  if (!identity || !own || !own->name.empty()) return std::nullopt;
  return none_of(cluster, *identity, view);
}

Result<Selection> select(const config::Cluster& cluster, const std::string& asked,
                         host::View& view) {
  const auto& identity = view.identity();
  if (!identity) return std::unexpected(identity.error());
  auto own = own_node(cluster, view);
  if (!own) return std::unexpected(own.error());
  if (asked.empty() && own->name.empty()) {
    const auto none = none_of(cluster, *identity, view);
    return fail(ErrorCode::kNotFound, fmt::format("{}: {}", none.what, none.remedy));
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

std::vector<protocol::ExpectedPeer> expected_peers(const config::Node& node) {
  std::vector<protocol::ExpectedPeer> expected;
  for (const auto& peer : node.peers) {
    if (peer.external) continue;
    expected.push_back({.node = peer.node,
                        .ip = peer.ip,
                        .link = peer.link,
                        .local = peer.local,
                        .cage = peer.cage,
                        .rail = peer.rail,
                        .on_switch = !peer.segment.empty()});
  }
  return expected;
}

}  // namespace spark::state
