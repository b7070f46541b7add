#pragma once
// What goes over the cables without a connection, as bytes. What comes in was sent by anybody.

#include <optional>
#include <string>
#include <string_view>

#include "helpers/peers/secret.hpp"
#include "protocol/discover.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

// A hello as the bytes of a frame: a magic and JSON. With a key the JSON ends with a MAC over all
// bytes before it.

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

// A frame of discovery as bytes: a magic and JSON.

/// Without the Ethernet header. Empty: it would be longer than kMostDiscoverBytes.
std::string encode_discover(const protocol::DiscoverFrame& frame);

/// Empty: it is no such frame, or one that a node would not send. Zeros at the end are passed over:
/// Ethernet pads short frames. Names in the result are valid host names, lists are bounded.
std::optional<protocol::DiscoverFrame> decode_discover(std::string_view bytes);

}  // namespace spark::helpers
