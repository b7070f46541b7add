#pragma once
// A frame of discovery as bytes: a magic and JSON. What comes in was sent by anybody.

#include <optional>
#include <string>
#include <string_view>

#include "protocol/discover.hpp"

namespace spark::helpers {

/// Without the Ethernet header. Empty: it would be longer than kMostDiscoverBytes.
std::string encode_discover(const protocol::DiscoverFrame& frame);

/// Empty: it is no such frame, or one that a node would not send. Zeros at the end are passed over:
/// Ethernet pads short frames. Names in the result are valid host names, lists are bounded.
std::optional<protocol::DiscoverFrame> decode_discover(std::string_view bytes);

}  // namespace spark::helpers
