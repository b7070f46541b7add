#include "daemon/export/cluster_metrics.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {
namespace {

// All nodes of a switch with eight have their place here, with both cages of this node.
constexpr std::size_t kMostPeerRails = 28;
constexpr std::size_t kMostHeard = 16;
constexpr std::size_t kMostBenchRates = 13;
static_assert(2 * kMostPeerRails + kMostHeard + 2 * kMostBenchRates + 2 <= kMostClusterSeries);

double proven(const std::optional<bool>& is) {
  return !is ? std::numeric_limits<double>::quiet_NaN() : *is ? 1 : 0;
}

bool is_proven(const PeerRail& rail) {
  return rail.echo.value_or(true) && rail.rdma.value_or(true);
}

void tell_rates(Exposition& out, const std::vector<BenchRate>& rates, double BenchRate::* figure,
                std::string_view name, std::string_view help) {
  out.gauge(name, help);
  for (const auto& rate : rates | std::views::take(kMostBenchRates)) {
    out.sample(rate.*figure, {{"peer", rate.peer},
                              {"link", rate.links},
                              {"operation", rate.operation},
                              {"direction", rate.direction}});
  }
}

}  // namespace

void tell_cluster(Exposition& out, const ClusterState& cluster) {
  out.gauge("cluster_nodes", "Nodes of the cluster file in force; 0: none is, or no look yet.");
  out.sample(static_cast<double>(cluster.nodes));
  auto rails = cluster.rails;
  std::ranges::stable_partition(rails, std::not_fn(is_proven));
  out.gauge("peer_rail_proven",
            "1: over this rail the peer answered the last echo, or RDMA was proven both ways; "
            "0: not; NaN: not known.");
  for (const auto& rail : rails | std::views::take(kMostPeerRails)) {
    const auto cage = std::to_string(rail.cage);
    const auto number = std::to_string(rail.rail);
    for (const auto& [how, is] : {std::pair{"echo", rail.echo}, std::pair{"rdma", rail.rdma}}) {
      out.sample(proven(is), {{"peer", rail.peer},
                              {"link", rail.link},
                              {"cage", cage},
                              {"rail", number},
                              {"how", how}});
    }
  }
  out.gauge("peer_rails_left_out",
            "Rails to peers that are not among these metrics, since they are many; those that are "
            "not proven come first.");
  out.sample(static_cast<double>(rails.size() - std::min(rails.size(), kMostPeerRails)));
  auto heard = cluster.heard;
  std::ranges::stable_sort(heard, {}, [](const HeardPeer& peer) { return peer.at.wall; });
  out.gauge("peer_heard_timestamp_seconds",
            "When the peer was last heard, in seconds since 1970; of one that is heard now, the "
            "last look of the gate; 0: never since this boot.");
  for (const auto& peer : heard | std::views::take(kMostHeard)) {
    out.sample(unix_seconds(peer.at), {{"peer", peer.peer}});
  }
  tell_rates(out, cluster.bench, &BenchRate::bytes_per_second, "bench_bytes_per_second",
             "What bench measured last with the peer, without a job beside it.");
  tell_rates(out, cluster.bench, &BenchRate::best, "bench_best_bytes_per_second",
             "The most that bench measured so with the peer, of the measurements that are kept.");
}

}  // namespace spark::daemon
