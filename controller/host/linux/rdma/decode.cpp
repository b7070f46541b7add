#include "host/linux/rdma/decode.hpp"

#include <algorithm>

#include <rdma/rdma_netlink.h>

#include "host/linux/netlink/attributes.hpp"

namespace spark::host {
namespace {

// Only what is read: the enumeration grows with every kernel, and nla_parse passes over what is
// beyond it.
constexpr int kLastAttribute = RDMA_NLDEV_ATTR_NDEV_NAME;

constexpr auto kPolicy = policy<kLastAttribute>({
    {RDMA_NLDEV_ATTR_DEV_INDEX, kU32},
    {RDMA_NLDEV_ATTR_DEV_NAME, kText},
    {RDMA_NLDEV_ATTR_PORT_INDEX, kU32},
    {RDMA_NLDEV_ATTR_PORT_STATE, kU8},
    {RDMA_NLDEV_ATTR_PORT_PHYS_STATE, kU8},
    {RDMA_NLDEV_ATTR_RES_QP, kNested},
    {RDMA_NLDEV_ATTR_RES_PID, kU32},
    {RDMA_NLDEV_ATTR_NDEV_INDEX, kU32},
});

/// nldev messages have no fixed header: attributes follow the netlink header at once.
bool parse(const nlmsghdr& message, Attributes<kLastAttribute>& attributes) {
  return nla_parse(attributes.data(), kLastAttribute, nlmsg_attrdata(&message, 0),
                   nlmsg_attrlen(&message, 0), kPolicy.data()) >= 0;
}

}  // namespace

Result<RdmaDevice> decode_rdma_device(const nlmsghdr& message) {
  Attributes<kLastAttribute> attributes{};
  if (!parse(message, attributes) || attributes[RDMA_NLDEV_ATTR_DEV_INDEX] == nullptr ||
      attributes[RDMA_NLDEV_ATTR_DEV_NAME] == nullptr) {
    return malformed("RDMA device");
  }
  return RdmaDevice{u32_of(attributes[RDMA_NLDEV_ATTR_DEV_INDEX]),
                    text_of(attributes[RDMA_NLDEV_ATTR_DEV_NAME])};
}

Result<std::vector<std::uint32_t>> decode_rdma_users(const nlmsghdr& message) {
  Attributes<kLastAttribute> attributes{};
  if (!parse(message, attributes)) return malformed("RDMA queue pairs");
  std::vector<std::uint32_t> users;
  auto* const pairs = attributes[RDMA_NLDEV_ATTR_RES_QP];
  int left = pairs == nullptr ? 0 : nla_len(pairs);
  for (auto* pair = pairs == nullptr ? nullptr : static_cast<nlattr*>(nla_data(pairs));
       pair != nullptr && nla_ok(pair, left) != 0; pair = nla_next(pair, &left)) {
    Attributes<kLastAttribute> inner{};
    if (!parse_nested(pair, kPolicy, inner)) return malformed("RDMA queue pair");
    if (const auto pid = u32_of(inner[RDMA_NLDEV_ATTR_RES_PID]); pid != 0) users.push_back(pid);
  }
  return users;
}

Result<RdmaPort> decode_rdma_port(const nlmsghdr& message) {
  Attributes<kLastAttribute> attributes{};
  if (!parse(message, attributes) || attributes[RDMA_NLDEV_ATTR_DEV_NAME] == nullptr ||
      attributes[RDMA_NLDEV_ATTR_PORT_INDEX] == nullptr) {
    return malformed("RDMA port");
  }
  return RdmaPort{.device = text_of(attributes[RDMA_NLDEV_ATTR_DEV_NAME]),
                  .port = u32_of(attributes[RDMA_NLDEV_ATTR_PORT_INDEX]),
                  .state = u8_of(attributes[RDMA_NLDEV_ATTR_PORT_STATE]),
                  .physical_state = u8_of(attributes[RDMA_NLDEV_ATTR_PORT_PHYS_STATE]),
                  .link_index = index_of(attributes[RDMA_NLDEV_ATTR_NDEV_INDEX])};
}

std::optional<IpAddress> decode_gid(std::string_view text) {
  const auto ip = IpAddress::parse(text);
  if (!ip || ip->is_v4() || std::ranges::all_of(ip->bytes(), [](auto byte) { return byte == 0; })) {
    return std::nullopt;
  }
  return ip->unmapped();
}

}  // namespace spark::host
