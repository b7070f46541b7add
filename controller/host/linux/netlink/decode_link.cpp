#include <string_view>

// Before linux/if.h, which then adds to it and repeats nothing.
#include <fmt/format.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "host/linux/netlink/attributes.hpp"
#include "host/linux/netlink/decode.hpp"

namespace spark::host {
namespace {

constexpr auto kLinkPolicy = policy<IFLA_MAX>({{IFLA_IFNAME, kText},
                                               {IFLA_MTU, kU32},
                                               {IFLA_LINK, kU32},
                                               {IFLA_MASTER, kU32},
                                               {IFLA_CARRIER, kU8},
                                               {IFLA_MIN_MTU, kU32},
                                               {IFLA_MAX_MTU, kU32},
                                               {IFLA_LINKINFO, kNested},
                                               {IFLA_AF_SPEC, kNested},
                                               {IFLA_PROP_LIST, kNested},
                                               {IFLA_PHYS_PORT_NAME, kText},
                                               {IFLA_PARENT_DEV_NAME, kText},
                                               {IFLA_PARENT_DEV_BUS_NAME, kText},
                                               {IFLA_CARRIER_DOWN_COUNT, kU32}});
constexpr auto kLinkInfoPolicy = policy<IFLA_INFO_MAX>({{IFLA_INFO_KIND, kText}});
constexpr auto kAfSpecPolicy = policy<AF_INET6>({{AF_INET6, kNested}});
constexpr auto kInet6Policy = policy<IFLA_INET6_MAX>({{IFLA_INET6_ADDR_GEN_MODE, kU8}});
constexpr auto kAltNamePolicy = policy<IFLA_ALT_IFNAME>({{IFLA_ALT_IFNAME, kText}});

std::string hex_of(const nlattr* attribute, std::string_view separator) {
  return fmt::format("{:02x}", fmt::join(bytes_of(attribute), separator));
}

bool read_kind(nlattr* link_info, std::string& kind) {
  Attributes<IFLA_INFO_MAX> attributes{};
  if (!parse_nested(link_info, kLinkInfoPolicy, attributes)) return false;
  kind = text_of(attributes[IFLA_INFO_KIND]);
  return true;
}

bool read_addr_gen_mode(nlattr* af_spec, std::optional<std::uint8_t>& mode) {
  Attributes<AF_INET6> families{};
  Attributes<IFLA_INET6_MAX> inet6{};
  if (!parse_nested(af_spec, kAfSpecPolicy, families) ||
      !parse_nested(families[AF_INET6], kInet6Policy, inet6)) {
    return false;
  }
  if (inet6[IFLA_INET6_ADDR_GEN_MODE] != nullptr) {
    mode = nla_get_u8(inet6[IFLA_INET6_ADDR_GEN_MODE]);
  }
  return true;
}

/// The list repeats one attribute type, of which nla_parse would keep the last alone.
bool read_altnames(nlattr* prop_list, std::vector<std::string>& names) {
  if (prop_list == nullptr) return true;
  auto* const first = static_cast<nlattr*>(nla_data(prop_list));
  int left = nla_len(prop_list);
  if (nla_validate(first, left, IFLA_ALT_IFNAME, kAltNamePolicy.data()) < 0) return false;
  for (nlattr* item = first; nla_ok(item, left) != 0; item = nla_next(item, &left)) {
    if (nla_type(item) == IFLA_ALT_IFNAME) names.emplace_back(nla_get_string(item));
  }
  return true;
}

/// For these kinds IFLA_LINK names the other end of a pair, not a device underneath.
bool is_pair(std::string_view kind) {
  return kind == "veth" || kind == "netkit" || kind == "vxcan";
}

}  // namespace

Result<LinkInfo> decode_link(const nlmsghdr& message) {
  const auto* const header = header_of<ifinfomsg>(message);
  Attributes<IFLA_MAX> attributes{};
  if (header == nullptr || !parse_attributes<ifinfomsg>(message, kLinkPolicy, attributes)) {
    return malformed("link");
  }
  LinkInfo link;
  link.index = header->ifi_index;
  link.name = text_of(attributes[IFLA_IFNAME]);
  if (link.name.empty() || !read_kind(attributes[IFLA_LINKINFO], link.kind) ||
      !read_addr_gen_mode(attributes[IFLA_AF_SPEC], link.ipv6_addr_gen_mode) ||
      !read_altnames(attributes[IFLA_PROP_LIST], link.altnames)) {
    return malformed(fmt::format("link with index {}", link.index));
  }
  link.up = (header->ifi_flags & IFF_UP) != 0;
  link.carrier = attributes[IFLA_CARRIER] != nullptr ? nla_get_u8(attributes[IFLA_CARRIER]) != 0
                                                     : (header->ifi_flags & IFF_LOWER_UP) != 0;
  link.loopback = (header->ifi_flags & IFF_LOOPBACK) != 0;
  link.mtu = u32_of(attributes[IFLA_MTU]);
  link.min_mtu = u32_of(attributes[IFLA_MIN_MTU]);
  link.max_mtu = u32_of(attributes[IFLA_MAX_MTU]);
  link.mac = hex_of(attributes[IFLA_ADDRESS], ":");
  if (attributes[IFLA_LINK_NETNSID] == nullptr && !is_pair(link.kind)) {
    link.lower = index_of(attributes[IFLA_LINK]);
  }
  link.master = index_of(attributes[IFLA_MASTER]);
  link.phys_switch_id = hex_of(attributes[IFLA_PHYS_SWITCH_ID], "");
  link.phys_port_name = text_of(attributes[IFLA_PHYS_PORT_NAME]);
  link.parent_bus = text_of(attributes[IFLA_PARENT_DEV_BUS_NAME]);
  link.parent_device = text_of(attributes[IFLA_PARENT_DEV_NAME]);
  link.carrier_downs = u32_of(attributes[IFLA_CARRIER_DOWN_COUNT]);
  return link;
}

}  // namespace spark::host
