#include "daemon/reconcile/pass_record.hpp"

#include <algorithm>
#include <iterator>

#include "base/sha256.hpp"
#include "kinds/storage/host_identity.hpp"
#include "state/journal.hpp"
#include "state/select.hpp"

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

/// What spark-peers is to report of this node, and whom it is to expect, as far as a pass knows it.
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
  order.peers = state::expected_peers(node);
  return order;
}

/// After how many corrections of a resource there is an alert; empty: there is none.
std::optional<std::uint64_t> alert_at(config::DriftAlert alert) {
  if (alert == config::DriftAlert::kNever) return std::nullopt;
  return alert == config::DriftAlert::kFirst ? 1 : kRecurringTimes;
}

}  // namespace

Pass PassRecord::begin(const PassOrder& order) {
  for (const auto& [source, times] : order.triggers) counters_.triggers[source] += times;
  const auto overruns = order.triggers.find("overrun");
  if (overruns != order.triggers.end()) counters_.resyncs += overruns->second;
  const auto& last = last_.found;
  return {.order = order,
          .start = clock_(),
          .found = {.loss = last.loss,
                    .node = last.node,
                    .cluster = last.cluster,
                    .names_no_node = last.names_no_node}};
}

void PassRecord::note_held(Snapshot& snapshot, host::Host& host, Pass& pass) {
  const auto& plan = snapshot.plan;
  const auto& cluster = snapshot.file->cluster;
  pass.found.node = plan.node;
  pass.found.cluster = plan.cluster;
  held_ = {.in_sync = plan.in_sync,
           .drift_alert_at = alert_at(cluster.drift.alert.value),
           .skipped = {},
           .refusals = {},
           .routes = plan::route_states(snapshot.node, plan),
           .shape = cluster::shape_of(cluster),
           .peers_order = peers_order(snapshot.node, snapshot.view, state::boot_id(host))};
  std::ranges::transform(plan.refusals, std::back_inserter(held_.refusals), &kinds::Refusal::what);
  for (const auto& [kind, key, skipped, where, on] : plan.skipped) {
    held_.skipped.push_back({.kind = std::string(kind),
                             .key = key,
                             .why = skipped.why,
                             .id = skipped.id,
                             .reason = skipped.reason,
                             .on = on});
  }
}

void PassRecord::end(const Pass& pass, std::vector<Drift> drifts) {
  const auto now = clock_();
  last_ = {.found = pass.found,
           .drifts = std::move(drifts),
           .error = pass.error,
           .at = now,
           .took = now.boot - pass.start.boot};
  ++counters_.passes;
  counters_.failed_passes += pass.error.empty() ? 0 : 1;
}

}  // namespace spark::daemon
