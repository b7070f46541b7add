#include "fake/fake_netlink.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

namespace spark::test {
namespace {

constexpr std::uint32_t kIpv6MinMtu = 1280;
constexpr std::uint32_t kMetricOfIpv6 = 1024;  ///< IP6_RT_PRIO_USER
constexpr std::string_view kIpv6Conf = "net/ipv6/conf/";

/// The kernel sets these as it finds right, whatever is asked for.
constexpr std::uint32_t kFlagsOfKernel =
    IFA_F_SECONDARY | IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_PERMANENT | IFA_F_DEPRECATED;

std::unexpected<Error> refused(int number, const std::string& what, std::string_view text) {
  return fail(error_code_of(number),
              fmt::format("{}: {} ({})", what, text, std::generic_category().message(number)));
}

bool is_secondary(const host::AddressInfo& address) {
  return (address.flags & IFA_F_SECONDARY) != 0;
}

/// IPv4 addresses of which the later one is the other's secondary.
bool share_subnet(const host::AddressInfo& a, const host::AddressInfo& b) {
  return a.link_index == b.link_index && a.address.ip.is_v4() && b.address.ip.is_v4() &&
         a.address.network() == b.address.network();
}

/// fe80::/64 with the modified EUI-64 of the MAC (RFC 4291, appendix A).
IpPrefix eui64_link_local(const std::string& mac) {
  std::array<std::uint8_t, 6> octets{};
  for (std::size_t i = 0; i < octets.size() && 3 * i + 2 <= mac.size(); ++i) {
    std::from_chars(mac.data() + 3 * i, mac.data() + 3 * i + 2, octets[i], 16);
  }
  const std::array<std::uint8_t, 16> bytes{
      0xFE,      0x80,      0,
      0,         0,         0,
      0,         0,         static_cast<std::uint8_t>(octets[0] ^ 2U),
      octets[1], octets[2], 0xFF,
      0xFE,      octets[3], octets[4],
      octets[5]};
  return {*IpAddress::from_bytes(bytes), 64};
}

std::uint8_t ipv6_scope(const IpAddress& ip) {
  if (ip.is_loopback()) {
    return RT_SCOPE_HOST;
  }
  return ip.is_link_local() ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
}

}  // namespace

Result<std::vector<host::LinkInfo>> FakeNetlink::links() {
  if (auto readable = writes_.readable("links"); !readable) {
    return std::unexpected(readable.error());
  }
  return links_;
}

Result<std::vector<host::AddressInfo>> FakeNetlink::addresses() {
  if (auto readable = writes_.readable("addresses"); !readable) {
    return std::unexpected(readable.error());
  }
  return addresses_;
}

template <class Act>
Result<> FakeNetlink::change(const std::string& link, const std::string& what, Act act) {
  auto* const found = find(link);
  if (found == nullptr) {
    return fail_errno(ENODEV, what);
  }
  if (auto admitted = writes_.admit(what); !admitted) return admitted;
  const Result<> done = act(*found);
  if (done) {
    writes_.record(FakePort::kNetlink, what);
    tell();
  }
  return done;
}

Result<> FakeNetlink::set_up(const std::string& name, bool up) {
  const auto what = fmt::format("set '{}' {}", name, up ? "up" : "down");
  return change(name, what, [&](host::LinkInfo& link) -> Result<> {
    link.up = up;
    if (!up) {
      drop_ipv6_addresses(link.index);
      std::erase_if(static_routes_,
                    [&](const host::RouteInfo& route) { return route.link_index == link.index; });
    }
    update_carrier(link);
    return {};
  });
}

Result<> FakeNetlink::set_mtu(const std::string& name, std::uint32_t mtu_bytes) {
  const auto what = fmt::format("set mtu of '{}' to {}", name, mtu_bytes);
  return change(name, what,
                [&](host::LinkInfo& link) { return change_mtu(link, mtu_bytes, what); });
}

Result<> FakeNetlink::set_addr_gen_mode(const std::string& name, std::uint8_t mode) {
  const auto what = fmt::format("set addr_gen_mode of '{}' to {}", name, mode);
  return change(name, what, [&](host::LinkInfo& link) { return change_mode(link, mode, what); });
}

Result<> FakeNetlink::change_mode(host::LinkInfo& link, std::uint8_t mode,
                                  const std::string& what) {
  if (!link.ipv6_addr_gen_mode) {
    return fail_errno(EAFNOSUPPORT, what);
  }
  // The stable mode asks for a secret first, which nobody sets here.
  if (mode > IN6_ADDR_GEN_MODE_RANDOM || mode == IN6_ADDR_GEN_MODE_STABLE_PRIVACY) {
    return fail_errno(EINVAL, what);
  }
  link.ipv6_addr_gen_mode = mode;
  return {};
}

Result<> FakeNetlink::write_addr_gen_mode(const std::string& file, const std::string& text) {
  const auto name = file.substr(kIpv6Conf.size(), file.rfind('/') - kIpv6Conf.size());
  auto& link = existing(name);
  std::uint8_t mode = 0;
  std::from_chars(text.data(), text.data() + text.size(), mode);
  const bool is_new = link.ipv6_addr_gen_mode != mode;
  if (auto changed = change_mode(link, mode, "write " + file); !changed) return changed;
  if (is_new) {
    start_ipv6(link);
    tell();
  }
  return {};
}

Result<> FakeNetlink::add_address(const std::string& name, const host::AddressInfo& address) {
  const auto what = fmt::format("add address '{}' to '{}'", address.address.text(), name);
  return change(name, what, [&](host::LinkInfo& link) { return insert(link, address, what); });
}

Result<> FakeNetlink::remove_address(const std::string& name, const IpPrefix& address) {
  const auto what = fmt::format("remove address '{}' from '{}'", address.text(), name);
  return change(name, what, [&](host::LinkInfo& link) { return erase(link, address, what); });
}

/// As fib_table_insert and fib6_add_rt2node have it with NLM_F_EXCL.
Result<> FakeNetlink::add_route(const std::string& name, const host::RouteInfo& asked) {
  const auto what = fmt::format("add route '{}' by '{}'", asked.destination.text(), name);
  return change(name, what, [&](host::LinkInfo& link) -> Result<> {
    auto route = asked;
    route.link_index = link.index;
    route.type = RTN_UNICAST;
    const auto family = route.destination.ip.family();
    if (family == IpFamily::kV6 && route.metric == 0) route.metric = kMetricOfIpv6;
    if (!link.up) return fail_errno(ENETDOWN, what);
    const auto has = [&](auto holds) { return std::ranges::any_of(addresses_, holds); };
    const bool reaches = !route.gateway || has([&](const host::AddressInfo& address) {
      return address.link_index == link.index && address.address.network().contains(*route.gateway);
    });
    if (!reaches) return refused(ENETUNREACH, what, "Nexthop has invalid gateway");
    const bool has_source = !route.source || has([&](const host::AddressInfo& address) {
      return address.address.ip == *route.source;
    });
    if (!has_source) return refused(EINVAL, what, "Invalid prefsrc address");
    auto routes = connected_routes();
    routes.insert(routes.end(), static_routes_.begin(), static_routes_.end());
    const bool is_there = std::ranges::any_of(routes, [&](const host::RouteInfo& other) {
      return other.destination == route.destination && other.table == route.table &&
             other.metric == route.metric;
    });
    if (is_there) return fail_errno(EEXIST, what);
    static_routes_.push_back(std::move(route));
    return {};
  });
}

Result<> FakeNetlink::remove_route(const std::string& name, const host::RouteInfo& asked) {
  const auto what = fmt::format("remove route '{}' by '{}'", asked.destination.text(), name);
  return change(name, what, [&](host::LinkInfo& link) -> Result<> {
    const auto erased = std::erase_if(static_routes_, [&](const host::RouteInfo& route) {
      return route.link_index == link.index && route.destination == asked.destination &&
             route.table == asked.table && route.protocol == asked.protocol &&
             route.metric == asked.metric && (!asked.gateway || route.gateway == asked.gateway) &&
             (!asked.source || route.source == asked.source);
    });
    return erased == 0 ? fail_errno(ESRCH, what) : Result<>{};
  });
}

Result<> FakeNetlink::watch() {
  watching_ = true;
  event_pending_ = false;
  return {};
}

Result<bool> FakeNetlink::wait_for_event(std::chrono::milliseconds deadline) {
  if (!watching_) {
    return fail(ErrorCode::kInvalid, "wait for an event: nothing is watched");
  }
  if (!event_pending_ && deadline.count() > 0) {
    event_pending_ = end_detection();
  }
  return std::exchange(event_pending_, false);
}

Result<> FakeNetlink::change_mtu(host::LinkInfo& link, std::uint32_t mtu_bytes,
                                 const std::string& what) {
  if (mtu_bytes < link.min_mtu) {
    return refused(EINVAL, what, "mtu less than device minimum");
  }
  if (link.max_mtu != 0 && mtu_bytes > link.max_mtu) {
    return refused(EINVAL, what, "mtu greater than device maximum");
  }
  if (link.kind == "vlan" && link.lower != 0 && mtu_bytes > link_at(link.lower).mtu) {
    return fail_errno(ERANGE, what);
  }
  link.mtu = mtu_bytes;
  for (auto& upper : links_) {
    if (upper.kind == "vlan" && upper.lower == link.index) {
      upper.mtu = std::min(upper.mtu, mtu_bytes);
    }
  }
  if (mtu_bytes < kIpv6MinMtu) {
    drop_ipv6_addresses(link.index);
    link.ipv6_addr_gen_mode.reset();
  } else if (!link.ipv6_addr_gen_mode) {
    link.ipv6_addr_gen_mode = IN6_ADDR_GEN_MODE_EUI64;
    start_ipv6(link);
  }
  return {};
}

void FakeNetlink::update_carrier(host::LinkInfo& link) {
  const bool had_carrier = link.carrier;
  link.carrier = link.up && !without_cable_.contains(link.index);
  link.carrier_downs += had_carrier && !link.carrier ? 1 : 0;
  if (link.carrier && !had_carrier) {
    start_ipv6(link);
  }
}

/// A link that becomes ready gets its link-local address (addrconf_dev_config in the kernel).
void FakeNetlink::start_ipv6(const host::LinkInfo& link) {
  if (link.carrier && !link.loopback && link.ipv6_addr_gen_mode == IN6_ADDR_GEN_MODE_EUI64) {
    // It may be there already: a pulled cable takes no address away.
    static_cast<void>(insert(link,
                             {.address = eui64_link_local(link.mac), .protocol = IFAPROT_KERNEL_LL},
                             "start IPv6"));
  }
}

void FakeNetlink::drop_ipv6_addresses(int link_index) {
  std::erase_if(addresses_, [&](const host::AddressInfo& address) {
    return address.link_index == link_index && !address.address.ip.is_v4();
  });
}

/// True: an address is tentative no more.
bool FakeNetlink::end_detection() {
  bool ended = false;
  for (auto& address : addresses_) {
    if ((address.flags & IFA_F_TENTATIVE) == 0 || (address.flags & IFA_F_DADFAILED) != 0 ||
        !link_at(address.link_index).carrier) {
      continue;
    }
    if (claimed_elsewhere_.contains(address.address.ip)) {
      address.flags |= IFA_F_DADFAILED;
    } else {
      address.flags &= ~std::uint32_t{IFA_F_TENTATIVE};
    }
    ended = true;
  }
  return ended;
}

Result<> FakeNetlink::insert(const host::LinkInfo& link, host::AddressInfo address,
                             const std::string& what) {
  const bool v4 = address.address.ip.is_v4();
  if (!v4 && !link.ipv6_addr_gen_mode) {
    return fail_errno(EINVAL, what);
  }
  // The kernel tells IPv4 addresses apart by their length too, IPv6 ones not.
  if (std::ranges::any_of(addresses_, [&](const host::AddressInfo& other) {
        return other.link_index == link.index && other.address.ip == address.address.ip &&
               (!v4 || other.address.prefix_len == address.address.prefix_len);
      })) {
    return refused(EEXIST, what,
                   v4 ? "ipv4: Address already assigned" : "ipv6: address already assigned");
  }
  address.link_index = link.index;
  address.flags &= ~kFlagsOfKernel;
  if (address.valid_seconds == host::kForeverSeconds) {
    address.flags |= IFA_F_PERMANENT;
  }
  if (v4) {
    if (std::ranges::any_of(addresses_, [&](const auto& a) { return share_subnet(a, address); })) {
      address.flags |= IFA_F_SECONDARY;
    }
    if (address.label.empty()) {
      address.label = link.name;
    }
  } else {
    address.scope = ipv6_scope(address.address.ip);
    if (!link.loopback && (address.flags & IFA_F_NODAD) == 0) {
      address.flags |= IFA_F_TENTATIVE;
    }
  }
  addresses_.push_back(std::move(address));
  return {};
}

Result<> FakeNetlink::erase(const host::LinkInfo& link, const IpPrefix& prefix,
                            const std::string& what) {
  const auto found = std::ranges::find_if(addresses_, [&](const host::AddressInfo& address) {
    return address.link_index == link.index && address.address == prefix;
  });
  if (found == addresses_.end()) {
    return refused(EADDRNOTAVAIL, what,
                   prefix.ip.is_v4() ? "ipv4: Address not found" : "ipv6: address not found");
  }
  const host::AddressInfo removed = *found;
  addresses_.erase(found);
  std::erase_if(static_routes_,
                [&](const host::RouteInfo& route) { return route.source == removed.address.ip; });
  if (removed.address.ip.is_v4() && !is_secondary(removed)) {
    const auto is_its_secondary = [&](const auto& a) { return share_subnet(a, removed); };
    if (!promotes_secondaries(link.name)) {
      std::erase_if(addresses_, is_its_secondary);
    } else if (const auto heir = std::ranges::find_if(addresses_, is_its_secondary);
               heir != addresses_.end()) {
      heir->flags &= ~std::uint32_t{IFA_F_SECONDARY};
    }
  }
  // Without its last IPv4 address the kernel takes all IPv4 routes of a link (fib_disable_ip).
  const bool has_ipv4 = std::ranges::any_of(addresses_, [&](const host::AddressInfo& address) {
    return address.link_index == link.index && address.address.ip.is_v4();
  });
  if (removed.address.ip.is_v4() && !has_ipv4) {
    std::erase_if(static_routes_, [&](const host::RouteInfo& route) {
      return route.link_index == link.index && route.destination.ip.is_v4();
    });
  }
  return {};
}

bool FakeNetlink::promotes_secondaries(const std::string& link) const {
  return sysctl_.text("net/ipv4/conf/all/promote_secondaries") != "0" ||
         sysctl_.text(fmt::format("net/ipv4/conf/{}/promote_secondaries", link)) != "0";
}

}  // namespace spark::test
