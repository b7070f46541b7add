#include "daemon/reconcile/link_records.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace spark::daemon {
namespace {

/// Those that the file asks for, then the others, but for what the kernel makes by itself.
std::vector<std::string> addresses_of(const config::WantedLink& wanted, const host::LinkInfo& link,
                                      host::View& view) {
  auto addresses = view.addresses_on(link);
  std::ranges::stable_partition(addresses, [&](const IpPrefix& address) {
    return std::ranges::any_of(wanted.addresses,
                               [&](const auto& asked) { return asked.value == address; });
  });
  std::vector<std::string> texts;
  std::ranges::transform(addresses, std::back_inserter(texts), &IpPrefix::text);
  return texts;
}

LinkRecord record_of(const config::WantedLink& wanted, const config::Node& node, host::View& view) {
  LinkRecord record{.name = wanted.name};
  if (wanted.rail) {
    record.cage = wanted.rail->cage;
    record.rail = wanted.rail->rail;
  }
  for (const auto& peer : node.peers) {
    if (peer.link == wanted.name) {
      record.peers.push_back(peer.node);
      record.segment = peer.segment;
      record.cabling.emplace();
    }
  }
  if (const auto* link = view.link(wanted.name)) {
    record.present = true;
    record.up = link->up;
    record.carrier = link->carrier;
    record.mtu = link->mtu;
    record.master = link->master;
    record.addresses = addresses_of(wanted, *link, view);
    if (const auto* port = view.rdma_port(*link)) {
      record.device = port->device;
    }
  }
  return record;
}

}  // namespace

std::vector<LinkRecord> link_records(const config::Node& node, host::View& view) {
  std::vector<LinkRecord> records;
  records.reserve(node.links.size());
  for (const auto& [name, wanted] : node.links) {
    records.push_back(record_of(wanted, node, view));
  }
  std::ranges::sort(records, {}, [](const LinkRecord& record) {
    return std::tuple(!record.cage, record.cage, record.rail, record.name);
  });
  return records;
}

void keep_looks(const std::vector<LinkRecord>& last, std::vector<LinkRecord>& links) {
  for (auto& link : links) {
    const auto known = std::ranges::find(last, link.name, &LinkRecord::name);
    if (known == last.end()) continue;
    link.speed = known->speed;
    if (link.carrier == known->carrier && known->peers == link.peers) {
      link.cabling = known->cabling;
    }
  }
}

void note_cabling(const gate::GateReport& report, std::vector<LinkRecord>& links) {
  for (auto& link : links) {
    if (!link.cabling) continue;
    gate::Cabling seen;
    for (const auto& rail : report.rails) {
      // Of a link with several addresses the worst counts: wrong is the last of the states.
      if (rail.link == link.name && rail.cabling && rail.cabling->state >= seen.state) {
        seen = *rail.cabling;
      }
    }
    link.cabling = seen;
  }
}

}  // namespace spark::daemon
