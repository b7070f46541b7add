#include "host/linux/netlink/decode.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "host/linux/netlink/attributes.hpp"

namespace spark::host {
namespace {

constexpr nla_policy kLifetimes{.type = NLA_UNSPEC, .minlen = sizeof(ifa_cacheinfo), .maxlen = 0};
constexpr auto kAddressPolicy = policy<IFA_MAX>({{IFA_LABEL, kText},
                                                 {IFA_CACHEINFO, kLifetimes},
                                                 {IFA_FLAGS, kU32},
                                                 {IFA_RT_PRIORITY, kU32},
                                                 {IFA_PROTO, kU8}});
constexpr auto kRoutePolicy =
    policy<RTA_MAX>({{RTA_OIF, kU32}, {RTA_PRIORITY, kU32}, {RTA_TABLE, kU32}});
constexpr auto kRouteMetricsPolicy = policy<RTAX_MAX>({{RTAX_MTU, kU32}});
constexpr auto kRulePolicy = policy<FRA_MAX>(
    {{FRA_PRIORITY, kU32}, {FRA_TABLE, kU32}, {FRA_IIFNAME, kText}, {FRA_OIFNAME, kText}});
constexpr auto kNeighbourPolicy = policy<NDA_MAX>({});

IpAddress unspecified(IpFamily family) {
  constexpr std::array<std::uint8_t, 16> kZeros{};
  return *IpAddress::from_bytes({kZeros.data(), family == IpFamily::kV4 ? 4U : 16U});
}

/// Of a rule, which has no attribute where it asks for none.
bool read_prefix(const nlattr* attribute, IpFamily family, std::uint8_t length,
                 std::optional<IpPrefix>& prefix) {
  std::optional<IpAddress> ip;
  if (!read_ip(attribute, family, ip) || (ip && length > ip->bits())) return false;
  if (ip) prefix = IpPrefix{*ip, length};
  return true;
}

/// RTA_VIA: a gateway of the other family (an IPv4 route over an IPv6 next hop).
bool read_via(const nlattr* attribute, std::optional<IpAddress>& gateway) {
  const auto bytes = bytes_of(attribute);
  rtvia via{};
  if (bytes.size() < sizeof(via)) return false;
  std::memcpy(&via, bytes.data(), sizeof(via));
  gateway = IpAddress::from_bytes(bytes.subspan(sizeof(via)));
  return gateway && ip_family(via.rtvia_family) == gateway->family();
}

bool read_gateway(const Attributes<RTA_MAX>& attributes, IpFamily family,
                  std::optional<IpAddress>& gateway) {
  return attributes[RTA_VIA] != nullptr ? read_via(attributes[RTA_VIA], gateway)
                                        : read_ip(attributes[RTA_GATEWAY], family, gateway);
}

/// RTA_MULTIPATH: `route` once for each next hop. Empty: malformed.
std::vector<RouteInfo> read_hops(nlattr* multipath, IpFamily family, const RouteInfo& route) {
  std::vector<RouteInfo> hops;
  auto* place = static_cast<std::uint8_t*>(nla_data(multipath));
  for (auto bytes = bytes_of(multipath); !bytes.empty();) {
    rtnexthop hop{};
    if (bytes.size() < sizeof(hop)) return {};
    std::memcpy(&hop, bytes.data(), sizeof(hop));
    if (hop.rtnh_len < sizeof(hop) || hop.rtnh_len > bytes.size()) return {};
    Attributes<RTA_MAX> attributes{};
    auto& filled = hops.emplace_back(route);
    filled.link_index = hop.rtnh_ifindex;
    auto* const first = reinterpret_cast<nlattr*>(place + sizeof(hop));
    if (nla_parse(attributes.data(), RTA_MAX, first, static_cast<int>(hop.rtnh_len - sizeof(hop)),
                  kRoutePolicy.data()) < 0 ||
        !read_gateway(attributes, family, filled.gateway)) {
      return {};
    }
    const auto step = std::min<std::size_t>(RTNH_ALIGN(hop.rtnh_len), bytes.size());
    bytes = bytes.subspan(step);
    place += step;
  }
  return hops;
}

}  // namespace

Result<std::optional<AddressInfo>> decode_address(const nlmsghdr& message) {
  const auto* const header = header_of<ifaddrmsg>(message);
  Attributes<IFA_MAX> attributes{};
  if (header == nullptr || !parse_attributes<ifaddrmsg>(message, kAddressPolicy, attributes)) {
    return malformed("address");
  }
  const auto family = ip_family(header->ifa_family);
  if (!family) return std::nullopt;
  AddressInfo address;
  std::optional<IpAddress> local;
  std::optional<IpAddress> far;
  if (!read_ip(attributes[IFA_LOCAL], *family, local) ||
      !read_ip(attributes[IFA_ADDRESS], *family, far) ||
      !read_ip(attributes[IFA_BROADCAST], *family, address.broadcast) || (!local && !far)) {
    return malformed(fmt::format("address of the link with index {}", header->ifa_index));
  }
  // IFA_ADDRESS is the other end of a point-to-point link, else the address itself
  // (linux/if_addr.h); IPv6 sends IFA_LOCAL only beside such an end.
  if (local && far && *local != *far) address.peer = far;
  address.address = {local ? *local : *far, header->ifa_prefixlen};
  if (address.address.prefix_len > address.address.ip.bits()) {
    return malformed(fmt::format("prefix length of '{}'", address.address.text()));
  }
  address.link_index = static_cast<int>(header->ifa_index);
  address.flags = u32_of(attributes[IFA_FLAGS], header->ifa_flags);
  address.scope = header->ifa_scope;
  address.protocol = u8_of(attributes[IFA_PROTO]);
  address.label = text_of(attributes[IFA_LABEL]);
  address.route_metric = u32_of(attributes[IFA_RT_PRIORITY]);
  if (attributes[IFA_CACHEINFO] != nullptr) {
    ifa_cacheinfo lifetimes{};
    std::memcpy(&lifetimes, nla_data(attributes[IFA_CACHEINFO]), sizeof(lifetimes));
    address.valid_seconds = lifetimes.ifa_valid;
    address.preferred_seconds = lifetimes.ifa_prefered;
    address.added = lifetimes.cstamp;
  }
  return address;
}

Result<std::vector<RouteInfo>> decode_route(const nlmsghdr& message) {
  const auto* const header = header_of<rtmsg>(message);
  Attributes<RTA_MAX> attributes{};
  if (header == nullptr || !parse_attributes<rtmsg>(message, kRoutePolicy, attributes)) {
    return malformed("route");
  }
  const auto family = ip_family(header->rtm_family);
  if (!family) return std::vector<RouteInfo>{};
  RouteInfo route;
  std::optional<IpAddress> destination = unspecified(*family);
  if (!read_ip(attributes[RTA_DST], *family, destination) ||
      header->rtm_dst_len > destination->bits() ||
      !read_ip(attributes[RTA_PREFSRC], *family, route.source) ||
      !read_gateway(attributes, *family, route.gateway)) {
    return malformed("addresses of a route");
  }
  route.destination = {*destination, header->rtm_dst_len};
  route.table = u32_of(attributes[RTA_TABLE], header->rtm_table);
  route.type = header->rtm_type;
  route.protocol = header->rtm_protocol;
  route.link_index = index_of(attributes[RTA_OIF]);
  route.metric = u32_of(attributes[RTA_PRIORITY]);
  Attributes<RTAX_MAX> metrics{};
  if (!parse_nested(attributes[RTA_METRICS], kRouteMetricsPolicy, metrics)) {
    return malformed("metrics of a route");
  }
  route.mtu = u32_of(metrics[RTAX_MTU]);
  if (attributes[RTA_MULTIPATH] == nullptr) return std::vector{route};
  auto hops = read_hops(attributes[RTA_MULTIPATH], *family, route);
  if (hops.empty()) {
    return malformed(fmt::format("next hops of the route to '{}'", route.destination.text()));
  }
  return hops;
}

Result<std::optional<RuleInfo>> decode_rule(const nlmsghdr& message) {
  const auto* const header = header_of<fib_rule_hdr>(message);
  Attributes<FRA_MAX> attributes{};
  if (header == nullptr || !parse_attributes<fib_rule_hdr>(message, kRulePolicy, attributes)) {
    return malformed("rule");
  }
  const auto family = ip_family(header->family);
  if (!family) return std::nullopt;
  RuleInfo rule{.family = *family,
                .priority = u32_of(attributes[FRA_PRIORITY]),
                .table = u32_of(attributes[FRA_TABLE], header->table),
                .in_link = text_of(attributes[FRA_IIFNAME]),
                .out_link = text_of(attributes[FRA_OIFNAME])};
  if (!read_prefix(attributes[FRA_SRC], *family, header->src_len, rule.from) ||
      !read_prefix(attributes[FRA_DST], *family, header->dst_len, rule.to)) {
    return malformed("addresses of a rule");
  }
  return rule;
}

Result<std::optional<NeighbourInfo>> decode_neighbour(const nlmsghdr& message) {
  const auto* const header = header_of<ndmsg>(message);
  Attributes<NDA_MAX> attributes{};
  if (header == nullptr || !parse_attributes<ndmsg>(message, kNeighbourPolicy, attributes)) {
    return malformed("neighbour");
  }
  constexpr unsigned kGood = NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT;
  const auto family = ip_family(header->ndm_family);
  const auto mac = bytes_of(attributes[NDA_LLADDR]);
  NeighbourInfo neighbour{.link_index = header->ndm_ifindex};
  if (!family || (header->ndm_state & kGood) == 0 || mac.size() != neighbour.mac.size()) {
    return std::nullopt;
  }
  std::optional<IpAddress> ip;
  if (!read_ip(attributes[NDA_DST], *family, ip) || !ip) return malformed("neighbour");
  neighbour.ip = *ip;
  std::ranges::copy(mac, neighbour.mac.begin());
  return neighbour;
}

}  // namespace spark::host
