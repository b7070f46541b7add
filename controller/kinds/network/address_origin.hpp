#pragma once
// Who put an address on a link, as the kernel remembers it (IFA_PROTO, since Linux 5.18).

#include <cstdint>

#include "host/netlink.hpp"

namespace spark {

/// Our mark. Numbers below 4 are the kernel's (linux/if_addr.h, IFAPROT_*); no other is assigned.
inline constexpr std::uint8_t kOurAddressProtocol = 83;
/// IFAPROT_KERNEL_LL: a link-local address that the kernel made.
inline constexpr std::uint8_t kKernelLinkLocalProtocol = 3;

inline bool is_kernel_link_local(const AddressInfo& address) {
  return address.protocol == kKernelLinkLocalProtocol;
}

}  // namespace spark
