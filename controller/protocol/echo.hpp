#pragma once
// An echo: one packet of a given size to a peer over one of our links, and back.

#include <chrono>
#include <cstdint>
#include <string>

#include "base/ip.hpp"

namespace spark::protocol {

/// The size of the second packet, which any path carries.
constexpr std::uint32_t kSmallEcho = 84;

struct EchoRequest {
  std::string link;  ///< the packet leaves by it, and its answer counts only if it comes back by it
  IpAddress from;    ///< ours on that link
  IpAddress to;
  std::uint32_t bytes = 0;  ///< of the whole IP packet, which is not fragmented: the MTU to prove
  bool operator==(const EchoRequest&) const = default;
};

struct EchoReport {
  bool whole = false;  ///< a packet of that size came back with all its bytes
  bool small = false;  ///< one of kSmallEcho bytes came back
  /// From the whole packet to its answer; if only the small one came back, from that to its answer.
  std::chrono::nanoseconds took{0};
  std::string refused;  ///< why this machine did not send it, in words; empty: it did
  bool operator==(const EchoReport&) const = default;
};

}  // namespace spark::protocol
