#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "protocol/peer_probe.hpp"

namespace {

using spark::protocol::kLongestPeerLine;
using spark::protocol::kMostQueuePairs;
using spark::protocol::parse_peer_line;
using spark::protocol::PeerLine;
using spark::protocol::PeerLineBuffer;
using spark::protocol::PeerOffer;

/// What was taken comes back from its own text, and an offer has numbers that a queue pair takes.
void check(const PeerLine& line) {
  std::visit(
      [](const auto& one) {
        auto text = peer_line_text(one);
        text.pop_back();
        const auto again = parse_peer_line(text);
        if (!again || again->index() != PeerLine(one).index()) std::abort();
      },
      line);
  const auto* offer = std::get_if<PeerOffer>(&line);
  if (offer == nullptr) return;
  if (offer->queue_pairs.empty() || offer->queue_pairs.size() > kMostQueuePairs ||
      offer->gid.bytes().size() != 16 || offer->address + offer->bytes < offer->address) {
    std::abort();
  }
  static_cast<void>(check_offers(*offer, *offer));
}

}  // namespace

// The bytes of the probe of another machine, as they come: each line is read or refused, and none
// that is taken is longer than the longest.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  PeerLineBuffer buffer;
  // Pieces of a size that lines do not know.
  constexpr std::size_t kPiece = 1000;
  while (!bytes.empty()) {
    buffer.add(bytes.substr(0, kPiece));
    bytes.remove_prefix(std::min(kPiece, bytes.size()));
    while (true) {
      const auto line = buffer.next();
      if (!line) return 0;
      if (!*line) break;
      if ((*line)->size() >= kLongestPeerLine) std::abort();
      if (const auto parsed = parse_peer_line(**line)) check(*parsed);
    }
  }
  return 0;
}
