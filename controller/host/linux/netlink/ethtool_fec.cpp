#include "host/linux/netlink/ethtool_fec.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "host/linux/netlink/attributes.hpp"

namespace spark::host {
namespace {

/// The link modes that stand for FEC (linux/ethtool.h), by ethtool's names of them.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 4> kFecModes{
    {{ETHTOOL_LINK_MODE_FEC_NONE_BIT, "off"},
     {ETHTOOL_LINK_MODE_FEC_BASER_BIT, "BASER"},
     {ETHTOOL_LINK_MODE_FEC_RS_BIT, "RS"},
     {ETHTOOL_LINK_MODE_FEC_LLRS_BIT, "LLRS"}}};

genlmsghdr generic_header(int command, int version) {
  return {.cmd = static_cast<std::uint8_t>(command),
          .version = static_cast<std::uint8_t>(version),
          .reserved = 0};
}

/// The first number of the attribute is that of the whole link; those of its lanes follow.
std::optional<std::uint64_t> total_of(const nlattr* attribute) {
  const auto bytes = bytes_of(attribute);
  std::uint64_t total = 0;
  if (bytes.size() < sizeof(total)) return std::nullopt;
  std::memcpy(&total, bytes.data(), sizeof(total));
  return total;
}

}  // namespace

NetlinkRequest encode_get_family(const std::string& name) {
  NetlinkRequest request(GENL_ID_CTRL, generic_header(CTRL_CMD_GETFAMILY, 1));
  request.put_text(CTRL_ATTR_FAMILY_NAME, name);
  return request;
}

std::optional<int> decode_family(const nlmsghdr& message) {
  constexpr nla_policy kU16{.type = NLA_U16, .minlen = 0, .maxlen = 0};
  constexpr auto kKnown = policy<CTRL_ATTR_FAMILY_ID>({{CTRL_ATTR_FAMILY_ID, kU16}});
  Attributes<CTRL_ATTR_FAMILY_ID> attributes{};
  if (header_of<genlmsghdr>(message) == nullptr ||
      !parse_attributes<genlmsghdr>(message, kKnown, attributes)) {
    return std::nullopt;
  }
  const auto* const id = attributes[CTRL_ATTR_FAMILY_ID];
  return id == nullptr ? std::nullopt : std::optional<int>(nla_get_u16(id));
}

NetlinkRequest encode_get_fec(int family, const std::string& link) {
  NetlinkRequest request(family, generic_header(ETHTOOL_MSG_FEC_GET, ETHTOOL_GENL_VERSION));
  request.put_nested(ETHTOOL_A_FEC_HEADER | NLA_F_NESTED, [&] {
    request.put_text(ETHTOOL_A_HEADER_DEV_NAME, link);
    request.put_u32(ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_STATS);
  });
  return request;
}

Result<FecState> decode_fec(const nlmsghdr& message) {
  constexpr auto kKnown =
      policy<ETHTOOL_A_FEC_STATS>({{ETHTOOL_A_FEC_ACTIVE, kU32}, {ETHTOOL_A_FEC_STATS, kNested}});
  constexpr auto kStatistics = policy<ETHTOOL_A_FEC_STAT_UNCORR>({});
  Attributes<ETHTOOL_A_FEC_STATS> attributes{};
  Attributes<ETHTOOL_A_FEC_STAT_UNCORR> statistics{};
  if (header_of<genlmsghdr>(message) == nullptr ||
      !parse_attributes<genlmsghdr>(message, kKnown, attributes) ||
      !parse_nested(attributes[ETHTOOL_A_FEC_STATS], kStatistics, statistics)) {
    return malformed("FEC");
  }
  FecState state;
  if (attributes[ETHTOOL_A_FEC_ACTIVE] != nullptr) {
    const auto mode = u32_of(attributes[ETHTOOL_A_FEC_ACTIVE]);
    const auto* const known =
        std::ranges::find(kFecModes, mode, &std::pair<std::uint32_t, std::string_view>::first);
    if (known != kFecModes.end()) state.active = known->second;
  }
  state.uncorrectable = total_of(statistics[ETHTOOL_A_FEC_STAT_UNCORR]);
  return state;
}

bool EthtoolFec::is_open() {
  if (family_ != 0) return family_ > 0;
  family_ = -1;
  auto socket = NetlinkSocket::open(NETLINK_GENERIC);
  if (!socket) return false;
  socket_.emplace(*std::move(socket));
  static_cast<void>(socket_->request(encode_get_family("ethtool"), [&](const nlmsghdr& message) {
    family_ = decode_family(message).value_or(family_);
  }));  // no family is as good as an error: FEC is not known then
  return family_ > 0;
}

std::optional<FecState> EthtoolFec::read(const std::string& link) {
  if (!is_open()) return std::nullopt;
  std::optional<FecState> state;
  const auto answered = socket_->request(encode_get_fec(family_, link), [&](const auto& message) {
    if (auto fec = decode_fec(message)) state = *std::move(fec);
  });
  return answered ? state : std::nullopt;
}

}  // namespace spark::host
