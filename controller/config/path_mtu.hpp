#pragma once
// path_mtu_of: the size of RoCE's packets on a link of an MTU.

#include <cstdint>

namespace spark::config {

/// The most that the payload of a RoCE packet can have, in bytes.
inline constexpr std::uint32_t kLargestPathMtu = 4096;

/// The RDMA path MTU, in bytes, that a network device's MTU yields: without a packet's headers,
/// rounded down to 4096, 2048, 1024, 512 or 256; 0 below 256 (iboe_get_mtu in the kernel's
/// rdma/ib_addr.h).
std::uint32_t path_mtu_of(std::uint32_t mtu_bytes);

}  // namespace spark::config
