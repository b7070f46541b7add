#include "kinds/network/mtu.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include <fmt/format.h>
#include <linux/if_addr.h>

#include "kinds/network/address_origin.hpp"
#include "kinds/network/link_local.hpp"

namespace spark::kinds {
namespace {

/// How many devices `link` stands on.
int layer_of(const std::vector<host::LinkInfo>& links, const host::LinkInfo& link,
             int depth_left = 8) {
  int layer = 0;
  for (const auto& below : links) {
    if (host::stands_on(link, below) && below.index != link.index && depth_left > 0) {
      layer = std::max(layer, 1 + layer_of(links, below, depth_left - 1));
    }
  }
  return layer;
}

/// The device below whose MTU bounds that of `link`, as the drivers of these kinds have it
/// (vlan_dev_change_mtu, macvlan_change_mtu); null: none.
const host::LinkInfo* bounding_device(host::View& view, const host::LinkInfo& link) {
  constexpr std::array<std::string_view, 6> kBounded{"vlan",   "macvlan", "macvtap",
                                                     "ipvlan", "ipvtap",  "macsec"};
  return std::ranges::find(kBounded, link.kind) == kBounded.end() ? nullptr : view.link(link.lower);
}

std::optional<std::string> out_of_bounds(host::View& view, const host::LinkInfo& link,
                                         std::uint32_t bytes, const State<Mtu>& wanted) {
  if (const auto* lower = bounding_device(view, link)) {
    const auto asked = wanted.find({lower->name});
    const auto bound = asked == wanted.end() ? lower->mtu : asked->second.bytes;
    if (bytes > bound) {
      return fmt::format("mtu {} of '{}' is above the {} of '{}', which it stands on", bytes,
                         link.name, bound, lower->name);
    }
  }
  if (link.max_mtu != 0 && bytes > link.max_mtu) {
    return fmt::format("mtu {} of '{}' is above the device's maximum of {}", bytes, link.name,
                       link.max_mtu);
  }
  if (bytes < link.min_mtu) {
    return fmt::format("mtu {} of '{}' is below the device's minimum of {}", bytes, link.name,
                       link.min_mtu);
  }
  return std::nullopt;
}

/// The devices stacked on `link`, at any height, that lose bytes when it has only `bytes`: they
/// follow it down (NETDEV_CHANGEMTU), and do not come up again with it.
std::vector<std::pair<std::string, std::uint32_t>> lowered_with(host::View& view,
                                                                const host::LinkInfo& link,
                                                                std::uint32_t bytes,
                                                                int depth_left = 8) {
  std::vector<std::pair<std::string, std::uint32_t>> lowered;
  for (const auto& upper : *view.links()) {
    if (bounding_device(view, upper) != &link || upper.mtu <= bytes || depth_left == 0) continue;
    lowered.emplace_back(upper.name, upper.mtu);
    std::ranges::move(lowered_with(view, upper, bytes, depth_left - 1),
                      std::back_inserter(lowered));
  }
  return lowered;
}

bool ends_ipv6(const host::LinkInfo& link, std::uint32_t bytes) {
  return link.mtu >= host::kLeastMtuOfIpv6 && bytes < host::kLeastMtuOfIpv6 &&
         link.ipv6_addr_gen_mode;
}

/// An IPv6 address on the link that the kernel did not make and that is not ours.
const host::AddressInfo* foreign_ipv6(const std::vector<host::AddressInfo>& addresses,
                                      const host::LinkInfo& link) {
  const auto found = std::ranges::find_if(addresses, [&](const host::AddressInfo& address) {
    return address.link_index == link.index && !address.address.ip.is_v4() &&
           !is_kernel_link_local(address) && address.protocol != kOurAddressProtocol;
  });
  return found == addresses.end() ? nullptr : &*found;
}

std::vector<host::AddressInfo> ipv6_on(const std::vector<host::AddressInfo>& addresses,
                                       const host::LinkInfo& link) {
  std::vector<host::AddressInfo> found;
  std::ranges::copy_if(addresses, std::back_inserter(found), [&](const host::AddressInfo& address) {
    return address.link_index == link.index && !address.address.ip.is_v4();
  });
  return found;
}

/// When the MTU of a link allows IPv6 again, IPv6 begins with the defaults of all links, and with
/// no address but the kernel's own.
Result<> give_ipv6_back(host::Host& host, const std::string& link, const Mtu::Details& before) {
  if (!before.link_local_mode) return {};
  if (auto set = host.netlink.set_addr_gen_mode(link, *before.link_local_mode); !set) return set;
  if (auto removed = remove_kernel_made(host, link, before.ipv6_addresses); !removed)
    return removed;
  return add_again(host, link, before.ipv6_addresses);
}

}  // namespace

Desired<Mtu> Mtu::desired(const config::Node& node) {
  Desired<Mtu> desired;
  for (const auto& [name, link] : node.links) {
    if (link.mtu) desired.want({name}, {{link.mtu->value}}, {link.mtu->where, link.owner_host});
  }
  return desired;
}

Result<Observed<Mtu>> Mtu::observe(host::View& view, const Desired<Mtu>& wanted,
                                   const Context& context) {
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  Observed<Mtu> observed;
  observed.remember = originals(context, kName);
  for (const auto& [key, value] : wanted.state) {
    const auto* link = view.link(key.link);
    if (link == nullptr) {
      observed.skipped.emplace(key, waiting_for_link(key.link));
      continue;
    }
    const auto& asked = wanted.origins.at(key);
    const auto why = out_of_bounds(view, *link, value.bytes, wanted.state);
    if (why && !asked.compare_only) {
      observed.refusals.push_back({Refusal::Why::kImpossible, "SR-MTU-001", *why, asked.where});
    }
    Stated<Mtu> actual{{.bytes = link->mtu},
                       {.layer = layer_of(*links, *link),
                        .lowered_with = lowered_with(view, *link, value.bytes),
                        .ends_ipv6 = ends_ipv6(*link, value.bytes)}};
    if (actual.details.ends_ipv6 && !asked.compare_only) {
      const auto& addresses = view.addresses();
      if (!addresses) return std::unexpected(addresses.error());
      if (const auto* address = foreign_ipv6(*addresses, *link)) {
        observed.refusals.push_back(
            {Refusal::Why::kRefused, "SR-MTU-002",
             fmt::format("mtu {} of '{}' is below the {} that IPv6 needs, and would take {} away, "
                         "which is not ours: remove that address first, or ask for more",
                         value.bytes, key.link, host::kLeastMtuOfIpv6, address->address.text()),
             asked.where});
      }
      actual.details.link_local_mode = link->ipv6_addr_gen_mode;
      actual.details.ipv6_addresses = ipv6_on(*addresses, *link);
    }
    if (!asked.compare_only && !context.node.released) {
      observed.remember.try_emplace(key.link, label(value), std::to_string(actual.bytes));
    }
    observed.state.emplace(key, std::move(actual));
  }
  return observed;
}

std::vector<Change<Mtu>> Mtu::diff(const State<Mtu>& desired, const State<Mtu>& actual) {
  auto changes = difference<Mtu>(desired, actual);
  const auto rank = [](const Change<Mtu>& change) {
    const bool lowers = change.after->bytes < change.before->bytes;
    return std::tuple(!lowers,
                      lowers ? -change.before->details.layer : change.before->details.layer);
  };
  std::ranges::stable_sort(changes, {}, rank);
  return changes;
}

Result<> Mtu::apply(const Change<Mtu>& change, host::Host& host) {
  auto set = host.netlink.set_mtu(change.key.link, change.after->bytes);
  for (const auto& [name, bytes] : change.after->details.lowered_with) {
    if (set) set = host.netlink.set_mtu(name, bytes);
  }
  return set ? give_ipv6_back(host, change.key.link, change.after->details) : set;
}

Effect Mtu::effect(const Change<Mtu>& change) {
  // The link stays up, yet mlx5 reopens its channels and drops the carrier for a moment.
  return {.disturbs = Effect::Disturbs::kTraffic,
          .link = change.key.link,
          .ends_ipv6 = change.before->details.ends_ipv6};
}

std::string Mtu::label(const Stated<Mtu>& value) {
  auto text = std::to_string(value.bytes);
  for (const auto& [name, bytes] : value.details.lowered_with) {
    text += fmt::format(", {} of '{}' on it", bytes, name);
  }
  return text;
}

}  // namespace spark::kinds
