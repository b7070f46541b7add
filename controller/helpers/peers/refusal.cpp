#include "helpers/peers/refusal.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/text.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {
namespace {

using protocol::RdmaHindrance;

constexpr std::size_t kLongestClause = 300;

}  // namespace

Missing refusal(const std::string& peer, const protocol::PeerAnswer& answer) {
  auto kind = RdmaHindrance::kOther;
  const auto& names = protocol::kRdmaHindrances;
  const auto named = std::ranges::find(names, answer.kind);
  if (named != names.end()) kind = static_cast<RdmaHindrance>(named - names.begin());
  // What is its own end there is the peer's end here.
  if (kind == RdmaHindrance::kThisEnd) kind = RdmaHindrance::kPeerWaits;
  if (kind == RdmaHindrance::kNone) kind = RdmaHindrance::kOther;
  if (kind == RdmaHindrance::kKey) return {kind, key_text(peer, protocol::KeyFault::kAsked)};
  return {kind, fmt::format("{}: {}", peer, printable(answer.refused, kLongestClause))};
}

}  // namespace spark::helpers
