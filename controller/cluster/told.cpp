#include "cluster/told.hpp"

#include <utility>

#include "base/text.hpp"

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

std::optional<Relayed> relayed_of(std::string_view node, const Told& told) {
  std::optional<Relayed> found;
  for (const auto& peer : told.peers) {
    const auto* hello = protocol::last_hello(told.heard, peer.details.node);
    if (hello == nullptr || hello->is_silent) continue;
    for (const auto& passed : peer.details.heard) {
      if (passed.node != node || (found && passed.is_silent)) continue;
      found = {.passed = &passed, .by = &peer.details, .hello = hello};
      if (!passed.is_silent) return found;
    }
  }
  return found;
}

std::string candidate_of(std::string_view node, const Told& told) {
  if (const auto* hello = protocol::last_hello(told.heard, node)) {
    return printable(hello->hello.candidate, protocol::kShortDigest);
  }
  const auto relayed = relayed_of(node, told);
  return relayed ? printable(relayed->passed->candidate, protocol::kShortDigest) : std::string();
}

}  // namespace spark::cluster
