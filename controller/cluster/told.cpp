#include "cluster/told.hpp"

#include <utility>

namespace spark::cluster {

Told told_of(protocol::PeersOrder order, protocol::PeersReport report) {
  // The daemon leaves it to spark-peers to make that of /etc/machine-id.
  order.own.machine = std::move(report.machine);
  return {
      .own = std::move(order.own),
      .peers = std::move(report.told),
      .expected = std::move(order.peers),
      .heard = std::move(report.heard),
      .rdma = std::move(report.rdma),
      .refused = std::move(report.refused),
      .is_enabled = order.enabled,
      .failed = report.failed.empty() ? std::move(report.key_failed) : std::move(report.failed)};
}

}  // namespace spark::cluster
