#pragma once
// The link-local IPv6 addresses that the kernel makes by itself, and the mode that it makes them
// by.

#include <cstdint>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "host/view.hpp"

namespace spark::kinds {

/// The kernel-made addresses on the link.
Result<std::vector<host::AddressInfo>> kernel_made_on(host::View& view, const host::LinkInfo& link);

/// Sets the mode, and makes the kernel add the mode's address at once: over netlink the kernel
/// takes only the mode, and adds the address after the link was down. Removes no address.
Result<> set_link_local_mode(host::Host& host, const std::string& link, std::uint8_t mode);

/// Removes the kernel-made addresses on the link, except those in `kept`. A link that is gone has
/// none.
Result<> remove_kernel_made(host::Host& host, const std::string& link,
                            const std::vector<host::AddressInfo>& kept = {});

/// Adds addresses with all their attributes. One that is there already is fine: the kernel may have
/// made it when the link came up again.
Result<> add_again(host::Host& host, const std::string& link,
                   const std::vector<host::AddressInfo>& addresses);

}  // namespace spark::kinds
