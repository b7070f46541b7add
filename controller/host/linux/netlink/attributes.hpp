#pragma once
// netlink_attributes: checked access to the attributes of one message; used by the decoders only.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "base/ip.hpp"
#include "base/result.hpp"

namespace spark::host {

/// Attributes by type, as nla_parse leaves them: null where there is none.
template <int kLast>
using Attributes = std::array<nlattr*, std::size_t{kLast} + 1>;
/// What nla_parse demands of each type; a type that is not named may hold anything.
template <int kLast>
using Policy = std::array<nla_policy, std::size_t{kLast} + 1>;

constexpr nla_policy kU8{.type = NLA_U8, .minlen = 0, .maxlen = 0};
constexpr nla_policy kU32{.type = NLA_U32, .minlen = 0, .maxlen = 0};
/// Ends in NUL inside the attribute.
constexpr nla_policy kText{.type = NLA_STRING, .minlen = 0, .maxlen = 0};
constexpr nla_policy kNested{.type = NLA_NESTED, .minlen = 0, .maxlen = 0};

template <int kLast>
constexpr Policy<kLast> policy(std::initializer_list<std::pair<int, nla_policy>> known) {
  Policy<kLast> table{};
  for (const auto& [type, rule] : known) table[static_cast<std::size_t>(type)] = rule;
  return table;
}

/// The fixed header that opens the payload; null when the message is too short for it.
template <class Header>
const Header* header_of(const nlmsghdr& message) {
  return nlmsg_valid_hdr(&message, sizeof(Header)) != 0
             ? static_cast<const Header*>(nlmsg_data(&message))
             : nullptr;
}

/// The attributes behind the fixed header. False: one of them breaks its policy.
template <class Header, std::size_t kCount>
bool parse_attributes(const nlmsghdr& message, const std::array<nla_policy, kCount>& policy,
                      std::array<nlattr*, kCount>& attributes) {
  return nla_parse(attributes.data(), kCount - 1, nlmsg_attrdata(&message, sizeof(Header)),
                   nlmsg_attrlen(&message, sizeof(Header)), policy.data()) >= 0;
}

/// The attributes inside `nest`; none when it is null. False: one of them breaks its policy.
template <std::size_t kCount>
bool parse_nested(nlattr* nest, const std::array<nla_policy, kCount>& policy,
                  std::array<nlattr*, kCount>& attributes) {
  return nest == nullptr ||
         nla_parse_nested(attributes.data(), kCount - 1, nest, policy.data()) >= 0;
}

// The value of an attribute that passed its policy; what is absent is "", 0 or `otherwise`.

std::string text_of(const nlattr* attribute);
std::uint8_t u8_of(const nlattr* attribute);
std::uint32_t u32_of(const nlattr* attribute, std::uint32_t otherwise = 0);
int index_of(const nlattr* attribute);
std::span<const std::uint8_t> bytes_of(const nlattr* attribute);

/// AF_INET and AF_INET6; empty for any other.
std::optional<IpFamily> ip_family(int address_family);
/// Reads an address of that family into `field`, which keeps its value when there is no attribute.
/// False: it is there and has another length.
bool read_ip(const nlattr* attribute, IpFamily family, std::optional<IpAddress>& field);

std::unexpected<Error> malformed(std::string_view what);

}  // namespace spark::host
