#include "daemon/reconcile/peers_order.hpp"

#include "base/sha256.hpp"
#include "kinds/storage/host_identity.hpp"

namespace spark::daemon {
namespace {

using protocol::PeersOrder;
using protocol::RailDetails;

RailDetails rail_details(const config::WantedLink& wanted, host::View& view) {
  RailDetails rail{.link = wanted.name, .cage = wanted.rail->cage, .rail = wanted.rail->rail};
  if (!wanted.addresses.empty()) rail.ip = wanted.addresses.front().value.ip;
  const auto* link = view.link(wanted.name);
  if (link == nullptr) return rail;
  rail.mac = link->mac;
  rail.mtu = link->mtu;
  rail.carrier = link->carrier;
  if (const auto* port = view.rdma_port(*link)) {
    rail.device = port->device;
    rail.port = port->port;
  }
  return rail;
}

}  // namespace

PeersOrder peers_order(const config::Node& node, host::View& view, const std::string& boot_id) {
  PeersOrder order{.enabled = node.ready.peers.value != config::ReadyPolicy::kOff};
  if (node.ready.key_file) order.key_file = node.ready.key_file->value;
  order.own.cluster = node.cluster;
  order.own.node = node.name;
  order.own.boot_id = boot_id;
  if (const auto& identity = view.identity()) order.own.kernel = identity->kernel;
  if (const auto nqn = kinds::host_nqn(view); !nqn.empty()) {
    order.own.host_nqn = protocol::short_digest(sha256_of(nqn));
  }
  for (const auto& [name, wanted] : node.links) {
    if (wanted.role == config::LinkRole::kRail && wanted.rail) {
      order.own.rails.push_back(rail_details(wanted, view));
    }
  }
  for (const auto& peer : node.peers) {
    if (peer.external) continue;
    order.peers.push_back({.node = peer.node,
                           .ip = peer.ip,
                           .link = peer.link,
                           .local = peer.local,
                           .cage = peer.cage,
                           .rail = peer.rail,
                           .on_switch = !peer.segment.empty()});
  }
  return order;
}

}  // namespace spark::daemon
