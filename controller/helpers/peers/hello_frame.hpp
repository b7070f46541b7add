#pragma once
// A hello as the bytes of a frame: a magic and JSON. What comes in was sent by anybody. With a key
// the JSON ends with a MAC over all bytes before it.

#include <optional>
#include <string>
#include <string_view>

#include "helpers/peers/secret.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

/// Without the Ethernet header. `key` null: without a MAC. Empty: it would be longer than
/// kMostHelloBytes.
std::string encode_hello(const protocol::Hello& hello, const Secret* key = nullptr);

/// Whether the bytes of a hello are those of a node with that key; null: of one without.
protocol::KeyFault key_fault(std::string_view bytes, const Secret* key);

/// Empty: it is no hello, or one that a node would not send. Zeros at the end are passed over:
/// Ethernet pads short frames. Texts of the result are printable ASCII.
std::optional<protocol::Hello> decode_hello(std::string_view bytes);

/// A document of a peer, as its own texts: all printable ASCII, cut to what people read. Errors:
/// kInvalid.
Result<protocol::NodeDetails> decode_details(const std::string& text);

}  // namespace spark::helpers
