#include "kinds/network/address.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "host/sysctl.hpp"
#include "kinds/network/address_origin.hpp"

namespace spark::kinds {
namespace {

host::AddressInfo new_address(const IpPrefix& prefix) {
  host::AddressInfo address{.address = prefix, .protocol = kOurAddressProtocol};
  address.scope = prefix.ip.is_link_local() ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
  return address;
}

Result<> remove_one(const std::string& link, const IpPrefix& address, host::Host& host) {
  auto removed = host.netlink.remove_address(link, address);
  // It may have gone by itself: with IPv6, when the MTU went below what that needs.
  return !removed && removed.error().code == ErrorCode::kNotFound ? Result<>{} : removed;
}

/// While `act` removes a primary, its secondaries stay.
template <class Act>
Result<> promoting(const std::string& link, host::Host& host, Act act) {
  const auto promote = promote_key(link);
  if (auto set = host.sysctl.write(promote, "1"); !set) return set;
  const Result<> done = act();
  auto restored = host.sysctl.write(promote, "0");
  return done ? restored : done;
}

/// With just that length; null: it does not stand there.
const host::AddressInfo* find(host::View& view, const std::string& link, const IpPrefix& address) {
  const auto* const there = view.link(link);
  const auto& addresses = view.addresses();
  if (there == nullptr || !addresses) return nullptr;
  const auto found = std::ranges::find_if(*addresses, [&](const host::AddressInfo& other) {
    return other.link_index == there->index && other.address == address;
  });
  return found == addresses->end() ? nullptr : &*found;
}

bool is_secondary(host::View& view, const std::string& link, const IpPrefix& address) {
  const auto* const standing = find(view, link, address);
  return standing != nullptr && (standing->flags & IFA_F_SECONDARY) != 0;
}

/// Has those that took the place of `primary` stand behind it again: routes have the primary as
/// their source. One that went meanwhile stays away.
Result<> put_behind(const std::string& link, const IpPrefix& primary,
                    const std::vector<host::AddressInfo>& secondaries, host::Host& host) {
  host::View now(host);
  if (secondaries.empty() || !is_secondary(now, link, primary)) return {};
  const auto pass = [&]() -> Result<> {
    for (const auto& secondary : secondaries) {
      if (secondary.address.network() != primary.network()) continue;
      auto passed = host.netlink.remove_address(link, secondary.address);
      if (!passed && passed.error().code == ErrorCode::kNotFound) continue;
      if (passed) passed = host.netlink.add_address(link, secondary);
      if (!passed) return passed;
    }
    return {};
  };
  return promotes_secondaries(now, link) ? pass() : promoting(link, host, pass);
}

bool stands(host::Host& host, const std::string& link, const IpPrefix& address) {
  host::View now(host);
  return find(now, link, address) != nullptr;
}

Result<> add(const std::string& link, const Address::Details& wanted, host::Host& host) {
  for (const auto& address : wanted.standing) {
    const auto added = host.netlink.add_address(link, address);
    // Of one that stood with several lengths, another may never have gone.
    if (!added && !stands(host, link, address.address)) return added;
  }
  for (const auto& address : wanted.standing) {
    auto done = put_behind(link, address.address, wanted.secondaries, host);
    if (!done) return done;
  }
  return {};
}

Result<> remove(const std::string& link, const Address::Details& there, host::Host& host) {
  const auto remove_all = [&]() -> Result<> {
    for (const auto& address : there.standing) {
      if (auto removed = remove_one(link, address.address, host); !removed) return removed;
    }
    return {};
  };
  return there.takes_others_along ? promoting(link, host, remove_all) : remove_all();
}

/// Nothing of it goes: it gets more lengths.
bool grows(const Address::Value& before, const Address::Value& after) {
  return !before.duplicate && (before.lengths & ~after.lengths).none();
}

/// It takes lengths away, if only for a moment.
bool removes(const Change<Address>& change) {
  return change.before && !(change.after && grows(*change.before, *change.after));
}

}  // namespace

Desired<Address> Address::desired(const config::Node& node) {
  Desired<Address> desired;
  for (const auto& [name, link] : node.links) {
    for (const auto& address : link.addresses) {
      desired.want({name, address.value.ip}, stated({new_address(address.value)}),
                   {address.where, link.owner_host});
    }
  }
  return desired;
}

std::vector<Change<Address>> Address::diff(const State<Address>& desired,
                                           const State<Address>& actual) {
  auto changes = difference<Address>(desired, actual);
  std::set<IpAddress> arriving;
  std::set<Subnet> shared;
  const auto subnets = [](const Key& key, const Stated<Address>& value) {
    std::set<Subnet> found;
    for (const auto& address : value.details.standing) {
      found.emplace(key.link, address.address.network());
    }
    return found;
  };
  for (const auto& change : changes) {
    if (!change.before) {
      arriving.insert(change.key.ip);
    } else if (change.before->details.takes_others_along) {
      shared.merge(subnets(change.key, *change.before));
    }
  }
  // A rollback removes the added address while the old primary is already back as its secondary.
  for (auto& change : changes) {
    if (change.after && !shared.empty()) {
      change.after->details.takes_others_along =
          std::ranges::any_of(subnets(change.key, *change.after),
                              [&](const Subnet& subnet) { return shared.contains(subnet); });
    }
  }
  enum Rank : std::uint8_t { kFrees, kAdds, kRemovesSecondary, kRemovesPrimary };
  const auto rank = [&](const Change<Address>& change) {
    if (change.after) return kAdds;
    if (arriving.contains(change.key.ip)) return kFrees;
    return std::ranges::any_of(change.before->details.standing, is_primary) ? kRemovesPrimary
                                                                            : kRemovesSecondary;
  };
  std::ranges::stable_sort(changes, {}, rank);
  return changes;
}

Result<> Address::apply(const Change<Address>& change, host::Host& host) {
  const auto& [key, before, after] = change;
  if (removes(change)) {
    if (auto removed = remove(key.link, before->details, host); !removed) return removed;
  }
  return after ? add(key.link, after->details, host) : Result<>{};
}

Result<> Address::clean_up(const Change<Address>& change, const Ledger& remembered,
                           host::Host& host) {
  const bool promoted = (change.before && change.before->details.takes_others_along) ||
                        (change.after && change.after->details.takes_others_along);
  if (!promoted) return {};
  const auto key = promote_key(change.key.link);
  const bool is_asked =
      std::ranges::any_of(entries_of(remembered, "sysctl"),
                          [&](const auto& entry) { return host::sysctl_file(entry.first) == key; });
  if (is_asked) return {};
  host::View now(host);
  const auto& value = now.sysctl(key);
  return value && value->text == "1" ? host.sysctl.write(key, "0") : Result<>{};
}

Effect Address::effect(const Change<Address>& change) {
  Effect effect{.link = change.key.link, .is_of_ipv6_address = !change.key.ip.is_v4()};
  if (removes(change)) {
    effect.disturbs = Effect::Disturbs::kAddress;
    effect.ips = {change.key.ip};
    effect.sets_promote_secondaries = change.before->details.takes_others_along;
  }
  return effect;
}

Stated<Address> Address::stated(std::vector<host::AddressInfo> standing) {
  Stated<Address> stated;
  stated.details.standing = std::move(standing);
  derive_value(stated);
  return stated;
}

void Address::derive_value(Stated<Address>& stated) {
  stated.lengths.reset();
  for (const auto& address : stated.details.standing) {
    stated.lengths.set(address.address.prefix_len);
  }
}

std::string Address::label(const Value& value) {
  return fmt::format("/{}{}", fmt::join(in_order(value.lengths), ", /"),
                     value.duplicate ? ", duplicate: another host answers for it" : "");
}

std::string promote_key(const std::string& link) {
  return fmt::format("net/ipv4/conf/{}/promote_secondaries", link);
}

bool promotes_secondaries(host::View& view, const std::string& link) {
  for (const auto& key : {promote_key("all"), promote_key(link)}) {
    if (const auto& value = view.sysctl(key); value && value->text != "0") return true;
  }
  return false;
}

}  // namespace spark::kinds
