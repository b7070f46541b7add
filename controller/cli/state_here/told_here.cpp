#include "cli/state_here/told_here.hpp"

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

std::optional<cluster::Told> told_here(host::Host& host) {
  auto order = order_here(host.files);
  auto report = gate::read_peers_report(host).value_or(std::nullopt);
  if (!order || !report) return std::nullopt;
  return cluster::told_of(*std::move(order), *std::move(report));
}

}  // namespace spark::cli
