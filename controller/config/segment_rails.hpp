#pragma once
// rails_of_cage, rails_at: how many rails an end of a cable or switch has.

#include <cstddef>
#include <cstdint>

#include "config/cluster.hpp"

namespace spark::config {

/// Rails of a cage: as many as `cages` lists for it, else the two of a Spark.
std::size_t rails_of_cage(const NodeSpec& node, int cage);

/// Of a cage of any node; of a node that is not in the file, two.
std::size_t rails_of_cage(const Cluster& cluster, const CageEnd& end);

/// Rails of an end that reach the others: on a cable no more than the other end has.
std::size_t rails_at(const Cluster& cluster, const Segment& segment, const CageEnd& end);

// path_mtu_of: the size of RoCE's packets on a link of an MTU.

/// The most that the payload of a RoCE packet can have, in bytes.
inline constexpr std::uint32_t kLargestPathMtu = 4096;

/// The RDMA path MTU, in bytes, that a network device's MTU yields: without a packet's headers,
/// rounded down to 4096, 2048, 1024, 512 or 256; 0 below 256 (iboe_get_mtu in the kernel's
/// rdma/ib_addr.h).
std::uint32_t path_mtu_of(std::uint32_t mtu_bytes);

}  // namespace spark::config
