#pragma once
// The first two lines of a conversation between nodes with a key: each end names 32 random bytes.
// What follows has MACs of a secret that depends on the key, both nonces and both names, so neither
// end can be answered with what was said before, or with what it said itself.

#include <expected>
#include <string>

#include "base/result.hpp"
#include "helpers/peers/lines.hpp"
#include "helpers/peers/proofs.hpp"
#include "helpers/peers/secret.hpp"
#include "protocol/peer_ask.hpp"

namespace spark::helpers {

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

}  // namespace spark::helpers
