#pragma once
// refusal: why a peer takes no part in what it was asked for.

#include <string>

#include "helpers/peers/proofs.hpp"
#include "protocol/peer_ask.hpp"

namespace spark::helpers {

/// The words of a peer that does not take part, with the kind as it is for this end.
Missing refusal(const std::string& peer, const protocol::PeerAnswer& answer);

}  // namespace spark::helpers
