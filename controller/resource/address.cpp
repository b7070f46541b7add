#include "resource/address.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "resource/address_judge.hpp"
#include "resource/address_origin.hpp"

namespace spark {
namespace {

/// What the kernel sets and clears by itself: never drift, and not ours to give back.
constexpr std::uint32_t kKernelOwnedFlags =
    IFA_F_SECONDARY | IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_PERMANENT | IFA_F_DEPRECATED;

std::string promote_key(const std::string& link) {
  return fmt::format("net/ipv4/conf/{}/promote_secondaries", link);
}

/// The kernel ORs the link's value with that of `all` (IN_DEV_PROMOTE_SECONDARIES).
bool promotes_secondaries(View& view, const std::string& link) {
  for (const auto& key : {promote_key("all"), promote_key(link)}) {
    if (const auto& value = view.sysctl(key); value && value->text != "0") {
      return true;
    }
  }
  return false;
}

AddressInfo new_address(const IpPrefix& prefix) {
  AddressInfo address{.address = prefix, .protocol = kOurAddressProtocol};
  address.scope = prefix.ip.is_link_local() ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
  return address;
}

Result<> add(const Address::Key& key, const Address::Value& value, Host& host) {
  auto address = value.as_found.value_or(new_address({key.ip, value.prefix_len}));
  address.flags &= ~kKernelOwnedFlags;
  return host.netlink.add_address(key.link, address);
}

Result<> remove(const Address::Key& key, const Address::Value& value, Host& host) {
  const auto remove_it = [&] {
    auto removed = host.netlink.remove_address(key.link, {key.ip, value.prefix_len});
    // It may have gone by itself: with IPv6, when the MTU went below what that needs.
    return !removed && removed.error().code == ErrorCode::kNotFound ? Result<>{} : removed;
  };
  if (!value.takes_others_along) {
    return remove_it();
  }
  const auto promote = promote_key(key.link);
  if (auto set = host.sysctl.write(promote, "1"); !set) return set;
  auto removed = remove_it();
  auto restored = host.sysctl.write(promote, "0");
  return removed ? restored : removed;
}

}  // namespace

Desired<Address> Address::desired(const Node& node) {
  Desired<Address> desired;
  for (const auto& [name, link] : node.links) {
    for (const auto& address : link.addresses) {
      desired.want({name, address.value.ip}, {.prefix_len = address.value.prefix_len},
                   {address.where, link.owner_host});
    }
  }
  return desired;
}

Result<Observed<Address>> Address::observe(View& view, const Desired<Address>& wanted,
                                           const Context& context) {
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  const auto& addresses = view.addresses();
  if (!addresses) return std::unexpected(addresses.error());

  Observed<Address> observed;
  for (const auto& [key, value] : wanted.state) {
    if (view.link(key.link) == nullptr) {
      observed.aside.emplace(key, waiting_for_link(key.link, context.node));
    }
  }
  AddressJudge judge(view, wanted, context);
  for (const auto& address : *addresses) {
    const auto* link = view.link(address.link_index);
    if (link == nullptr) {
      continue;  // it vanished between the two dumps
    }
    Key key{link->name, address.address.ip};
    const bool asked = judge.asked(key);
    const bool leaves = judge.leaves(key, address);
    if (!asked && !leaves) {
      if (judge.mentioned(key.link) && !is_kernel_link_local(address)) {
        observed.preserved.push_back(
            {fmt::format("address {} {}", key.link, address.address.text()), "not ours"});
      }
      continue;
    }
    if (const auto remover = leaves ? judge.remover(key, address) : std::nullopt) {
      observed.removers.emplace(key, *remover);
    }
    if (judge.exclusive(key.link)) {
      if (auto objection = serves_others(view, address, leaves, key.link,
                                         context.node.links.at(key.link).where)) {
        observed.objections.push_back(std::move(*objection));
      }
    }
    if (asked && address.peer) {
      observed.aside.emplace(key, point_to_point(address));
      continue;
    }
    const bool length_changes =
        asked && wanted.state.at(key).prefix_len != address.address.prefix_len;
    observed.settling |= asked && (address.flags & IFA_F_TENTATIVE) != 0 && link->carrier;
    Value value{.prefix_len = address.address.prefix_len,
                .duplicate = (address.flags & IFA_F_DADFAILED) != 0,
                .as_found = address,
                .takes_others_along = (leaves || length_changes) &&
                                      judge.others_stay(key, address) &&
                                      !promotes_secondaries(view, key.link)};
    const auto [held, alone] = observed.state.try_emplace(key, std::move(value));
    if (!alone) {
      // IPv4 lets one address stand with several lengths: one counts, the wanted one or else ours,
      // and the others stay, since with any of them the address would lose its GID.
      const auto rank = [&](const Value& one) {
        const bool right = asked && one.prefix_len == wanted.state.at(key).prefix_len;
        return std::pair(right, judge.marked_ours(*one.as_found));
      };
      if (rank(value) > rank(held->second)) {
        std::swap(held->second, value);
      }
      observed.preserved.push_back(
          {fmt::format("address {} {}", key.link, value.as_found->address.text()),
           "not ours: the same address with another length"});
    }
  }
  for (const auto& [key, value] : wanted.state) {
    const bool missing = !observed.state.contains(key) && !observed.aside.contains(key);
    if (auto why = missing && !key.ip.is_v4() ? without_ipv6(view, key.link) : std::nullopt) {
      observed.aside.emplace(key, std::move(*why));
    }
  }
  for (const auto& [key, value] : observed.state) {
    const auto asked = wanted.asked.find(key);
    if (asked != wanted.asked.end() && !asked->second.compare_only &&
        !judge.marked_ours(*value.as_found)) {
      observed.remember.emplace(label(key), LedgerEntry{std::to_string(value.prefix_len), ""});
    }
  }
  return observed;
}

std::vector<Change<Address>> Address::diff(const State<Address>& desired,
                                           const State<Address>& actual) {
  auto changes = difference<Address>(desired, actual);
  std::set<IpAddress> arriving;
  std::set<Subnet> shared;
  for (const auto& change : changes) {
    if (!change.before) {
      arriving.insert(change.key.ip);
    } else if (change.before->takes_others_along) {
      shared.emplace(change.key.link, IpPrefix{change.key.ip, change.before->prefix_len}.network());
    }
  }
  // An undo removes what was added, when the old primary is back as its secondary.
  for (auto& change : changes) {
    if (!change.before && !shared.empty()) {
      change.after->takes_others_along = shared.contains(
          {change.key.link, IpPrefix{change.key.ip, change.after->prefix_len}.network()});
    }
  }
  enum Rank : std::uint8_t { kFrees, kAdds, kRemovesSecondary, kRemovesPrimary };
  const auto rank = [&](const Change<Address>& change) {
    if (change.after) {
      return kAdds;
    }
    if (arriving.contains(change.key.ip)) {
      return kFrees;
    }
    return is_primary(*change.before->as_found) ? kRemovesPrimary : kRemovesSecondary;
  };
  std::ranges::stable_sort(changes, {}, rank);
  return changes;
}

Result<> Address::apply(const Change<Address>& change, Host& host) {
  if (change.before) {
    if (auto removed = remove(change.key, *change.before, host); !removed) return removed;
  }
  return change.after ? add(change.key, *change.after, host) : Result<>{};
}

Effect Address::effect(const Change<Address>& change) {
  if (!change.before) {
    return {.link = change.key.link};
  }
  return {.disturbs = Effect::Disturbs::kAddress, .link = change.key.link, .ips = {change.key.ip}};
}

std::string Address::label(const Value& value) {
  return fmt::format("/{}{}{}", value.prefix_len,
                     value.duplicate ? ", duplicate: another host answers for it" : "",
                     value.takes_others_along && value.as_found
                         ? ", promote_secondaries set meanwhile so that no other goes with it"
                         : "");
}

}  // namespace spark
