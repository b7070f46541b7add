#pragma once
// A question to a peer's spark-peers over one rail, and the line that answers it.

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "helpers/peers/lines.hpp"
#include "helpers/peers/own_key.hpp"
#include "helpers/peers/proofs.hpp"
#include "protocol/peer_ask.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

// The first two lines of a conversation between nodes with a key: each end names 32 random bytes.
// What follows has MACs of a secret that depends on the key, both nonces and both names, so neither
// end can be answered with what was said before, or with what it said itself.

/// The two ends, by name.
struct PeerNames {
  std::string asker;
  std::string answerer;
};

/// Of who asks. The peer has shown nothing yet: the first line that it writes then does. Errors:
/// kNotHeard: it does not answer; kKey: it has no key.
std::expected<void, Missing> begin_asking(PeerLines& lines, const Secret& key,
                                          const PeerNames& names, SteadyTime end);

/// Of who was asked for "key". Errors: that question is not whole, or the asker is gone.
Result<> begin_answering(PeerLines& lines, const Secret& key, const PeerNames& names,
                         const protocol::PeerAsk& asked, SteadyTime end);

/// To say what is asked, and to answer.
inline constexpr std::chrono::seconds kAskTime{3};

/// Who asks.
struct Asker {
  std::string node;
  OwnKey key;
};

/// What follows the answer is read and written by `lines`.
struct Conversation {
  UniqueFd connection;
  PeerLines lines;
  Moment asked;
  std::string answer;  ///< any bytes, of the peer itself where there is a key
};

/// Connects and asks. Errors, as clauses with the peer's name: kNotHeard: nobody answered within
/// `patience`, or a line of more than `limit` bytes; kKey: the two ends have not the same key.
std::expected<Conversation, Missing> ask_peer(const protocol::ExpectedPeer& peer,
                                              const Asker& asker, const protocol::PeerAsk& question,
                                              std::size_t limit,
                                              std::chrono::milliseconds patience = kAskTime);

/// The same for what has no answer.
std::expected<void, Missing> tell_peer(const protocol::ExpectedPeer& peer, const Asker& asker,
                                       const protocol::PeerAsk& told);

// refusal: why a peer takes no part in what it was asked for.

/// The words of a peer that does not take part, with the kind as it is for this end.
Missing refusal(const std::string& peer, const protocol::PeerAnswer& answer);

}  // namespace spark::helpers
