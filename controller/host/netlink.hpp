#pragma once
// Netlink: what this program asks of the kernel's network over netlink, as values; adapter in
// linux/netlink/linux_netlink.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "host/neighbour_frames.hpp"

namespace spark::host {

/// IPv6 ends on a link with an MTU below this (IPV6_MIN_MTU, RFC 8200 5).
inline constexpr std::uint32_t kLeastMtuOfIpv6 = 1280;

/// One network device, from RTM_NEWLINK (rtnetlink(7); attributes of linux/if_link.h).
struct LinkInfo {
  int index = 0;                      ///< ifi_index; valid now, never to be stored
  std::string name;                   ///< IFLA_IFNAME
  std::vector<std::string> altnames;  ///< IFLA_PROP_LIST / IFLA_ALT_IFNAME
  bool up = false;                    ///< IFF_UP, the administrative state
  bool carrier = false;               ///< IFLA_CARRIER, or IFF_LOWER_UP where it is absent
  bool loopback = false;              ///< IFF_LOOPBACK
  std::uint32_t mtu = 0;              ///< IFLA_MTU, bytes
  std::uint32_t min_mtu = 0;          ///< IFLA_MIN_MTU, bytes; 0: the driver names none
  std::uint32_t max_mtu = 0;          ///< IFLA_MAX_MTU, bytes; 0: the driver names none
  std::string mac;                    ///< IFLA_ADDRESS, "02:00:5e:10:00:01"
  std::string kind;                   ///< IFLA_INFO_KIND: "veth", "vlan", "bridge"; empty: hardware
  /// The device it stands on: IFLA_LINK when that is in this namespace, else 0. 0 for veth and
  /// other pairs, whose IFLA_LINK is the other end.
  int lower = 0;
  int master = 0;  ///< IFLA_MASTER, else 0
  /// addr_gen_mode of IFLA_AF_SPEC / AF_INET6 (IN6_ADDR_GEN_MODE_*); empty: no IPv6 on the link.
  std::optional<std::uint8_t> ipv6_addr_gen_mode;
  std::string phys_switch_id;  ///< IFLA_PHYS_SWITCH_ID, hexadecimal
  std::string phys_port_name;  ///< IFLA_PHYS_PORT_NAME: "p0"
  std::string parent_bus;      ///< IFLA_PARENT_DEV_BUS_NAME: "pci"
  std::string parent_device;   ///< IFLA_PARENT_DEV_NAME: "0000:01:00.0"
  /// IFLA_CARRIER_DOWN_COUNT: how often it has lost its carrier. Not in facts.
  std::uint32_t carrier_downs = 0;
  bool operator==(const LinkInfo&) const = default;
};

/// `upper` is stacked on `lower`: a VLAN on its device, a bridge or bond on its ports.
inline bool stands_on(const LinkInfo& upper, const LinkInfo& lower) {
  return lower.master == upper.index || (upper.lower != 0 && upper.lower == lower.index);
}

/// A lifetime without end (INFINITY_LIFE_TIME of the kernel's net/addrconf.h).
inline constexpr std::uint32_t kForeverSeconds = 0xFFFFFFFF;

/// One address on a link, from RTM_NEWADDR (attributes of linux/if_addr.h).
struct AddressInfo {
  int link_index = 0;
  IpPrefix address;               ///< IFA_LOCAL (IPv4) or IFA_ADDRESS (IPv6), with ifa_prefixlen
  std::uint32_t flags = 0;        ///< IFA_FLAGS, IFA_F_*
  std::uint8_t scope = 0;         ///< RT_SCOPE_*
  std::uint8_t protocol = 0;      ///< IFA_PROTO, who added it; 0 before kernel 5.18
  std::optional<IpAddress> peer;  ///< the other end of a point-to-point link
  std::optional<IpAddress> broadcast;                 ///< IFA_BROADCAST
  std::string label;                                  ///< IFA_LABEL (IPv4)
  std::uint32_t route_metric = 0;                     ///< IFA_RT_PRIORITY
  std::uint32_t valid_seconds = kForeverSeconds;      ///< IFA_CACHEINFO
  std::uint32_t preferred_seconds = kForeverSeconds;  ///< IFA_CACHEINFO
  std::uint32_t added = 0;  ///< IFA_CACHEINFO: when, in 1/100 s of CLOCK_MONOTONIC; 0: not known
  bool operator==(const AddressInfo&) const = default;
};

// Tables of routes, linux/rtnetlink.h.
inline constexpr std::uint32_t kMainTable = 254;  ///< RT_TABLE_MAIN
/// RouteInfo::protocol of what the kernel made for an address: RTPROT_KERNEL.
inline constexpr std::uint8_t kMadeByKernel = 2;
/// Of what this program made. iproute2 shows its name (rt_protos.d/spark-reconcile.conf), and no
/// routing program has the number.
inline constexpr std::uint8_t kMadeByUs = 83;
inline constexpr std::uint32_t kLocalTable = 255;  ///< RT_TABLE_LOCAL

/// One next hop of one route, or the answer to "where would a packet to this address go".
struct RouteInfo {
  IpPrefix destination;       ///< prefix_len 0: a default route
  std::uint32_t table = 0;    ///< kMainTable, kLocalTable, or another
  std::uint8_t type = 1;      ///< RTN_*: RTN_UNICAST is 1
  std::uint8_t protocol = 0;  ///< RTPROT_*
  int link_index = 0;         ///< RTA_OIF, or that of the next hop; 0: none
  std::optional<IpAddress> gateway;
  std::optional<IpAddress> source;  ///< RTA_PREFSRC
  std::uint32_t metric = 0;         ///< RTA_PRIORITY
  std::uint32_t mtu = 0;            ///< RTAX_MTU, bytes; 0: that of the link
  bool operator==(const RouteInfo&) const = default;
};

/// One routing policy rule, from RTM_NEWRULE.
struct RuleInfo {
  IpFamily family = IpFamily::kV4;
  std::uint32_t priority = 0;  ///< lower is asked first; main's is 32766
  std::uint32_t table = 0;
  std::optional<IpPrefix> from;  ///< FRA_SRC; empty: of all
  std::optional<IpPrefix> to;    ///< FRA_DST; empty: to all
  std::string in_link;           ///< FRA_IIFNAME; empty: by any
  std::string out_link;          ///< FRA_OIFNAME; empty: by any
  bool operator==(const RuleInfo&) const = default;
};

/// Who has an address on a link, as the kernel learned it (RTM_NEWNEIGH): only an entry that it
/// would send to now.
struct NeighbourInfo {
  int link_index = 0;
  IpAddress ip;
  MacAddress mac{};  ///< NDA_LLADDR
  bool operator==(const NeighbourInfo&) const = default;
};

/// A chain of nftables that is asked of packets for this machine, or of those that it forwards.
/// iptables-nft, ufw, firewalld and docker make such chains.
struct BaseChain {
  enum class Hook : std::uint8_t { kInput, kForward };
  std::string family;  ///< "inet", "ip", "ip6"
  std::string table;
  std::string name;
  Hook hook{};
  bool drops = false;  ///< its policy is drop: what no rule accepts is lost
  bool operator==(const BaseChain&) const = default;
};

/// Who changed a link or an address on it last, by the link's index: "NetworkManager (process
/// 412)".
using Writers = std::map<int, std::string>;

/// The netlink of one network namespace. Writes name a link; its index is resolved at use.
/// Errors carry the kernel's extended-ACK text where it gives one.
class Netlink {
 public:
  Netlink() = default;
  Netlink(const Netlink&) = delete;
  Netlink& operator=(const Netlink&) = delete;
  virtual ~Netlink() = default;

  // Reads: one dump each, retried when the kernel says that it was interrupted.
  virtual Result<std::vector<LinkInfo>> links() = 0;
  virtual Result<std::vector<AddressInfo>> addresses() = 0;
  /// The routes of both families in the main table and in those that rules lead to, but not the
  /// local ones: RT_TABLE_LOCAL is not read.
  virtual Result<std::vector<RouteInfo>> routes() = 0;
  virtual Result<std::vector<RuleInfo>> rules() = 0;
  /// Of both families.
  virtual Result<std::vector<NeighbourInfo>> neighbours() = 0;
  /// The route (RTM_F_FIB_MATCH) that a packet to `destination` takes now, from the address
  /// `source` of this machine where one is given (rules may look at it).
  /// Errors: kNotFound when none matches; kSystem when one refuses (unreachable, prohibit).
  virtual Result<RouteInfo> route_to(const IpAddress& destination,
                                     const std::optional<IpAddress>& source) = 0;

  /// Errors: kPermission without CAP_NET_ADMIN. Only where the module nf_tables is in the kernel:
  /// the kernel would load it for this question.
  virtual Result<std::vector<BaseChain>> base_chains() = 0;
  /// Of a Wi-Fi link alone: for another one the kernel might load a module. Empty: its driver does
  /// not say.
  virtual std::optional<bool> wifi_power_save(int link_index) = 0;

  // Writes: one request, acknowledged.
  virtual Result<> set_up(const std::string& link, bool up) = 0;
  virtual Result<> set_mtu(const std::string& link, std::uint32_t mtu_bytes) = 0;
  virtual Result<> set_addr_gen_mode(const std::string& link, std::uint8_t mode) = 0;
  /// Adds `address` with its flags, scope, protocol, label, metric and lifetimes as given;
  /// `link_index` is not read. Errors: kInvalid when it is there already.
  virtual Result<> add_address(const std::string& link, const AddressInfo& address) = 0;
  /// Not for an address with a peer: the kernel tells those apart by the peer.
  /// Errors: kNotFound when the link has no such address with that prefix length.
  virtual Result<> remove_address(const std::string& link, const IpPrefix& address) = 0;
  /// Adds a unicast route by `link` to its table, with its protocol, gateway, source, metric and
  /// MTU as given; `link_index` and `type` are not read. Errors: kInvalid when that table has a
  /// route with the destination and metric already, by whatever link, and where the gateway is in
  /// no subnet of the link.
  virtual Result<> add_route(const std::string& link, const RouteInfo& route) = 0;
  /// Errors: kNotFound when there is no route by `link` with just these values.
  virtual Result<> remove_route(const std::string& link, const RouteInfo& route) = 0;

  /// Starts to listen to link and address changes; events before this call are not seen.
  virtual Result<> watch() = 0;
  /// Waits for one or more events after `watch` and takes all that are there. False: none until
  /// the deadline. An overrun of the socket's buffer counts as an event.
  virtual Result<bool> wait_for_event(std::chrono::milliseconds deadline) = 0;
};

}  // namespace spark::host
