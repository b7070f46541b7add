#pragma once
// Who put an address on a link, as the kernel remembers it (IFA_PROTO, since Linux 5.18), and which
// of those in one subnet is the primary.

#include <cstdint>
#include <string>
#include <utility>

#include <linux/if_addr.h>

#include "base/ip.hpp"
#include "host/netlink.hpp"

namespace spark::kinds {

/// Our mark. Numbers below 4 are the kernel's (linux/if_addr.h, IFAPROT_*); no other is assigned.
inline constexpr std::uint8_t kOurAddressProtocol = 83;
/// IFAPROT_KERNEL_LL: a link-local address that the kernel made.
inline constexpr std::uint8_t kKernelLinkLocalProtocol = 3;

inline bool is_kernel_link_local(const host::AddressInfo& address) {
  return address.protocol == kKernelLinkLocalProtocol;
}

/// A subnet on a link. IPv4 addresses that share one are a primary and its secondaries.
using Subnet = std::pair<std::string, IpPrefix>;

inline bool is_primary(const host::AddressInfo& address) {
  return address.address.ip.is_v4() && (address.flags & IFA_F_SECONDARY) == 0;
}

}  // namespace spark::kinds
