#pragma once
// rdma_decode: messages of RDMA netlink and lines of sysfs become values; no input or output here.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <linux/netlink.h>

#include "host/rdma.hpp"

namespace spark::host {

struct RdmaDevice {
  std::uint32_t index = 0;  ///< RDMA_NLDEV_ATTR_DEV_INDEX; valid now, never to be stored
  std::string name;         ///< RDMA_NLDEV_ATTR_DEV_NAME
};

/// A reply to RDMA_NLDEV_CMD_GET. Errors: kInvalid for a message that the kernel does not send.
Result<RdmaDevice> decode_rdma_device(const nlmsghdr& message);

/// The process of each queue pair in a reply to RDMA_NLDEV_CMD_RES_QP_GET, as often as it has some;
/// those of the kernel bear no process id. Errors: as decode_rdma_device.
Result<std::vector<std::uint32_t>> decode_rdma_users(const nlmsghdr& message);

/// A reply to RDMA_NLDEV_CMD_PORT_GET. Errors: kInvalid for a message that the kernel does not
/// send.
Result<RdmaPort> decode_rdma_port(const nlmsghdr& message);

/// A line of sysfs `gids/N` ("0000:0000:0000:0000:0000:ffff:c000:020b"). Empty: the slot is unused,
/// or this is no GID.
std::optional<IpAddress> decode_gid(std::string_view text);

}  // namespace spark::host
