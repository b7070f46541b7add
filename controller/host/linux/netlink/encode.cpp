#include "host/linux/netlink/encode.hpp"

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

namespace spark::host {
namespace {

ifinfomsg link_header(int index) {
  ifinfomsg header{};
  header.ifi_index = index;
  return header;
}

ifaddrmsg address_header(int index, const IpPrefix& address, std::uint8_t scope) {
  ifaddrmsg header{};
  header.ifa_family = address_family(address.ip.family());
  header.ifa_prefixlen = address.prefix_len;
  header.ifa_scope = scope;
  header.ifa_index = static_cast<unsigned>(index);
  return header;
}

NetlinkRequest route_request(int type, int flags, int index, const RouteInfo& route) {
  rtmsg header{};
  header.rtm_family = address_family(route.destination.ip.family());
  header.rtm_dst_len = route.destination.prefix_len;
  header.rtm_table = RT_TABLE_UNSPEC;
  header.rtm_protocol = route.protocol;
  // Without a gateway the destination is on the link itself (ip route, iproute.c).
  header.rtm_scope =
      route.gateway || !route.destination.ip.is_v4() ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
  header.rtm_type = RTN_UNICAST;
  NetlinkRequest request(type, header, flags);
  request.put_u32(RTA_TABLE, route.table);
  request.put_ip(RTA_DST, route.destination.ip);
  request.put_u32(RTA_OIF, static_cast<std::uint32_t>(index));
  if (route.gateway) request.put_ip(RTA_GATEWAY, *route.gateway);
  if (route.source) request.put_ip(RTA_PREFSRC, *route.source);
  if (route.metric != 0) request.put_u32(RTA_PRIORITY, route.metric);
  return request;
}

}  // namespace

std::uint8_t address_family(IpFamily family) {
  return family == IpFamily::kV4 ? AF_INET : AF_INET6;
}

NetlinkRequest encode_set_up(int index, bool up) {
  auto header = link_header(index);
  header.ifi_flags = up ? IFF_UP : 0;
  header.ifi_change = IFF_UP;
  return {RTM_SETLINK, header};
}

NetlinkRequest encode_set_mtu(int index, std::uint32_t mtu_bytes) {
  NetlinkRequest request(RTM_SETLINK, link_header(index));
  request.put_u32(IFLA_MTU, mtu_bytes);
  return request;
}

NetlinkRequest encode_set_addr_gen_mode(int index, std::uint8_t mode) {
  NetlinkRequest request(RTM_SETLINK, link_header(index));
  request.put_nested(IFLA_AF_SPEC, [&] {
    request.put_nested(AF_INET6, [&] { request.put_u8(IFLA_INET6_ADDR_GEN_MODE, mode); });
  });
  return request;
}

NetlinkRequest encode_add_address(int index, const AddressInfo& address) {
  NetlinkRequest request(RTM_NEWADDR, address_header(index, address.address, address.scope),
                         NLM_F_CREATE | NLM_F_EXCL);
  request.put_ip(IFA_LOCAL, address.address.ip);
  request.put_ip(IFA_ADDRESS, address.peer.value_or(address.address.ip));
  if (address.broadcast) request.put_ip(IFA_BROADCAST, *address.broadcast);
  if (!address.label.empty()) request.put_text(IFA_LABEL, address.label);
  if (address.flags != 0) request.put_u32(IFA_FLAGS, address.flags);
  if (address.route_metric != 0) request.put_u32(IFA_RT_PRIORITY, address.route_metric);
  if (address.protocol != 0) request.put_u8(IFA_PROTO, address.protocol);
  if (address.valid_seconds != kForeverSeconds || address.preferred_seconds != kForeverSeconds) {
    const ifa_cacheinfo lifetimes{.ifa_prefered = address.preferred_seconds,
                                  .ifa_valid = address.valid_seconds,
                                  .cstamp = 0,
                                  .tstamp = 0};
    request.put(IFA_CACHEINFO, sizeof(lifetimes), &lifetimes);
  }
  return request;
}

NetlinkRequest encode_remove_address(int index, const IpPrefix& address) {
  NetlinkRequest request(RTM_DELADDR, address_header(index, address, 0));
  // The kernel compares the prefix length only when IFA_ADDRESS is there (inet_rtm_deladdr).
  request.put_ip(IFA_LOCAL, address.ip);
  request.put_ip(IFA_ADDRESS, address.ip);
  return request;
}

NetlinkRequest encode_add_route(int index, const RouteInfo& route) {
  auto request = route_request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, index, route);
  if (route.mtu != 0) {
    request.put_nested(RTA_METRICS, [&] { request.put_u32(RTAX_MTU, route.mtu); });
  }
  return request;
}

NetlinkRequest encode_remove_route(int index, const RouteInfo& route) {
  return route_request(RTM_DELROUTE, 0, index, route);
}

}  // namespace spark::host
