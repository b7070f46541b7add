#pragma once
// The link-local IPv6 addresses that the kernel makes by itself, and the mode that it makes them
// by.

#include <cstdint>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "host/view.hpp"

namespace spark {

/// Those that stand on the link.
Result<std::vector<AddressInfo>> kernel_made_on(View& view, const LinkInfo& link);

/// Sets the mode, and has the kernel make at once what it asks for: over netlink the kernel takes
/// the mode alone, and the address comes only after the link was down. Takes none away.
Result<> set_link_local_mode(Host& host, const std::string& link, std::uint8_t mode);

/// Removes those that stand on the link, but for the ones in `kept`. A link that is gone has none.
Result<> remove_kernel_made(Host& host, const std::string& link,
                            const std::vector<AddressInfo>& kept = {});

/// Adds addresses with all that they carried. One that is there already is fine: a link that came
/// up again may have made it.
Result<> add_again(Host& host, const std::string& link, const std::vector<AddressInfo>& addresses);

}  // namespace spark
