#pragma once
// netlink_decode: one rtnetlink message becomes one value; pure, no socket.

#include <optional>
#include <vector>

#include <linux/netlink.h>

#include "base/result.hpp"
#include "host/netlink.hpp"

namespace spark::host {

// Each function takes a message whose nlmsg_len bytes are all there (`nlmsg_ok` of libnl) and
// looks at nothing beyond them. Attributes that are not known here are skipped: newer kernels send
// more. Known ones must have the length and the terminating NUL that their type asks for.
// Errors: kInvalid, saying what is malformed.

/// From RTM_NEWLINK.
Result<LinkInfo> decode_link(const nlmsghdr& message);
/// From RTM_NEWADDR. Empty: not an IP address (other families share an AF_UNSPEC dump).
Result<std::optional<AddressInfo>> decode_address(const nlmsghdr& message);
/// From RTM_NEWROUTE: one for each next hop. None: not an IP route (multicast routing and MPLS
/// share the type).
Result<std::vector<RouteInfo>> decode_route(const nlmsghdr& message);
/// From RTM_NEWRULE. Empty: a rule of another family.
Result<std::optional<RuleInfo>> decode_rule(const nlmsghdr& message);
/// From RTM_NEWNEIGH. Empty: of another family, or an entry without a hardware address that is
/// good now.
Result<std::optional<NeighbourInfo>> decode_neighbour(const nlmsghdr& message);

}  // namespace spark::host
