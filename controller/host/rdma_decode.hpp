#pragma once
// rdma_decode: messages of RDMA netlink and lines of sysfs become values; no input or output here.

#include <cstdint>
#include <optional>
#include <string_view>

#include "host/rdma.hpp"

struct nlmsghdr;

namespace spark {

/// RDMA_NLDEV_ATTR_DEV_INDEX of any nldev message. Errors: kInvalid when there is none.
Result<std::uint32_t> decode_rdma_device_index(const nlmsghdr& message);

/// A reply to RDMA_NLDEV_CMD_PORT_GET. Errors: kInvalid for a message that the kernel does not
/// send.
Result<RdmaPort> decode_rdma_port(const nlmsghdr& message);

/// A line of sysfs `gids/N` ("0000:0000:0000:0000:0000:ffff:c000:020b"). Empty: the slot is unused,
/// or this is no GID.
std::optional<IpAddress> decode_gid(std::string_view text);

}  // namespace spark
