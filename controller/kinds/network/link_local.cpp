#include "kinds/network/link_local.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "config/cluster.hpp"
#include "kinds/network/address_origin.hpp"

namespace spark::kinds {

Result<std::vector<host::AddressInfo>> kernel_made_on(host::View& view,
                                                      const host::LinkInfo& link) {
  const auto& addresses = view.addresses();
  if (!addresses) return std::unexpected(addresses.error());
  std::vector<host::AddressInfo> made;
  std::ranges::copy_if(*addresses, std::back_inserter(made), [&](const host::AddressInfo& address) {
    return address.link_index == link.index && is_kernel_link_local(address);
  });
  return made;
}

Result<> set_link_local_mode(host::Host& host, const std::string& link, std::uint8_t mode) {
  if (mode == static_cast<std::uint8_t>(config::LinkLocalMode::kNone)) {
    return host.netlink.set_addr_gen_mode(link, mode);
  }
  // addrconf_sysctl_addr_gen_mode in net/ipv6/addrconf.c makes the address; inet6_set_link_af not.
  return host.sysctl.write(fmt::format("net/ipv6/conf/{}/addr_gen_mode", link),
                           std::to_string(mode));
}

Result<> remove_kernel_made(host::Host& host, const std::string& link,
                            const std::vector<host::AddressInfo>& kept) {
  host::View now(host);
  const auto* there = now.link(link);
  if (there == nullptr) return {};
  const auto made = kernel_made_on(now, *there);
  if (!made) return std::unexpected(made.error());
  for (const auto& address : *made) {
    if (std::ranges::find(kept, address.address, &host::AddressInfo::address) != kept.end()) {
      continue;
    }
    auto removed = host.netlink.remove_address(link, address.address);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  }
  return {};
}

Result<> add_again(host::Host& host, const std::string& link,
                   const std::vector<host::AddressInfo>& addresses) {
  for (const auto& address : addresses) {
    auto added = host.netlink.add_address(link, address);
    if (!added && added.error().code != ErrorCode::kInvalid) return added;
  }
  return {};
}

}  // namespace spark::kinds
