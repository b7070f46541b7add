#pragma once
// A question to a peer's spark-peers over one rail, and the line that answers it.

#include <chrono>
#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "helpers/peers/lines.hpp"
#include "protocol/peer_ask.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

/// To say what is asked, and to answer.
inline constexpr std::chrono::seconds kAskTime{3};

/// What follows the answer is read by `reader` and written to `connection`.
struct Conversation {
  UniqueFd connection;
  LineReader reader;
  std::string answer;  ///< any bytes
};

/// Connects and asks. Errors: as connect_over; nobody answered within `patience`; a line of more
/// than `limit` bytes.
Result<Conversation> ask_peer(const protocol::ExpectedPeer& peer, const protocol::PeerAsk& question,
                              std::size_t limit, std::chrono::milliseconds patience = kAskTime);

/// The same for what has no answer. Errors: as connect_over.
Result<> tell_peer(const protocol::ExpectedPeer& peer, const protocol::PeerAsk& told);

}  // namespace spark::helpers
