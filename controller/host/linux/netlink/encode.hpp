#pragma once
// netlink_encode: the requests that change links, addresses and routes; pure, no socket.

#include <cstdint>

#include "base/ip.hpp"
#include "host/linux/netlink/request.hpp"
#include "host/netlink.hpp"

namespace spark::host {

// Each request carries only what it changes: ifi_change masks the flags, and the kernel leaves
// absent attributes unchanged (do_setlink in net/core/rtnetlink.c).

NetlinkRequest encode_set_up(int index, bool up);
NetlinkRequest encode_set_mtu(int index, std::uint32_t mtu_bytes);
NetlinkRequest encode_set_addr_gen_mode(int index, std::uint8_t mode);
/// Refused by the kernel (EEXIST) when the link has the address.
NetlinkRequest encode_add_address(int index, const AddressInfo& address);
NetlinkRequest encode_remove_address(int index, const IpPrefix& address);
/// Refused by the kernel (EEXIST) when the table has a route with that destination and metric.
NetlinkRequest encode_add_route(int index, const RouteInfo& route);
/// Names all that tells one route from another (fib_table_delete, ip6_route_del).
NetlinkRequest encode_remove_route(int index, const RouteInfo& route);

/// AF_INET or AF_INET6.
std::uint8_t address_family(IpFamily family);

}  // namespace spark::host
