#include "cli/told_here.hpp"

#include <utility>

#include "base/json_document.hpp"
#include "gate/common/peers_report.hpp"

namespace spark::cli {
namespace {

/// Empty: the daemon has written none, or it is not understood.
std::optional<protocol::PeersOrder> order_here(host::Files& files) {
  const auto text = files.read(protocol::kPeersOrderFile);
  if (!text || !*text) return std::nullopt;
  auto order = document_from_text<protocol::PeersOrder>(protocol::kPeersOrderSchema, **text);
  return order ? std::optional(*std::move(order)) : std::nullopt;
}

}  // namespace

std::optional<ToldHere> told_here(host::Host& host) {
  auto order = order_here(host.files);
  auto report = gate::read_peers_report(host).value_or(std::nullopt);
  if (!order || !report) return std::nullopt;
  return ToldHere{
      .own = std::move(order->own),
      .peers = std::move(report->told),
      .expected = std::move(order->peers),
      .heard = std::move(report->heard),
      .rdma = std::move(report->rdma),
      .refused = std::move(report->refused),
      .is_enabled = order->enabled,
      .failed = report->failed.empty() ? std::move(report->key_failed) : std::move(report->failed)};
}

}  // namespace spark::cli
