#include "resource/address.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
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

Result<> add_as(const std::string& link, AddressInfo address, Host& host) {
  address.flags &= ~kKernelOwnedFlags;
  return host.netlink.add_address(link, address);
}

Result<> remove_one(const std::string& link, const IpPrefix& address, Host& host) {
  auto removed = host.netlink.remove_address(link, address);
  // It may have gone by itself: with IPv6, when the MTU went below what that needs.
  return !removed && removed.error().code == ErrorCode::kNotFound ? Result<>{} : removed;
}

/// While `act` removes a primary, its secondaries stay.
template <class Act>
Result<> promoting(const std::string& link, Host& host, Act act) {
  const auto promote = promote_key(link);
  if (auto set = host.sysctl.write(promote, "1"); !set) return set;
  const Result<> done = act();
  auto restored = host.sysctl.write(promote, "0");
  return done ? restored : done;
}

/// With just that length; null: it does not stand there.
const AddressInfo* find(View& view, const std::string& link, const IpPrefix& address) {
  const auto* const there = view.link(link);
  const auto& addresses = view.addresses();
  if (there == nullptr || !addresses) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(*addresses, [&](const AddressInfo& other) {
    return other.link_index == there->index && other.address == address;
  });
  return found == addresses->end() ? nullptr : &*found;
}

bool is_secondary(View& view, const std::string& link, const IpPrefix& address) {
  const auto* const standing = find(view, link, address);
  return standing != nullptr && (standing->flags & IFA_F_SECONDARY) != 0;
}

/// Has those that took the place of `primary` stand behind it again: routes have the primary as
/// their source. One that went meanwhile stays away.
Result<> put_behind(const std::string& link, const IpPrefix& primary,
                    const std::vector<AddressInfo>& secondaries, Host& host) {
  View now(host);
  if (secondaries.empty() || !is_secondary(now, link, primary)) {
    return {};
  }
  const auto pass = [&]() -> Result<> {
    for (const auto& secondary : secondaries) {
      auto passed = host.netlink.remove_address(link, secondary.address);
      if (!passed && passed.error().code == ErrorCode::kNotFound) {
        continue;
      }
      if (passed) passed = add_as(link, secondary, host);
      if (!passed) return passed;
    }
    return {};
  };
  return promotes_secondaries(now, link) ? pass() : promoting(link, host, pass);
}

bool stands(Host& host, const std::string& link, const IpPrefix& address) {
  View now(host);
  return find(now, link, address) != nullptr;
}

Result<> add(const Address::Key& key, const Address::Value& value, Host& host) {
  if (!value.as_found) {
    const auto fresh = std::vector{new_address({key.ip, value.prefix_len})};
    for (const auto& address : value.as_before.empty() ? fresh : value.as_before) {
      const auto added = add_as(key.link, address, host);
      // Of one that stood with several lengths, another may never have gone.
      if (!added && !stands(host, key.link, address.address)) return added;
    }
    return {};
  }
  if (auto added = add_as(key.link, *value.as_found, host); !added) return added;
  for (const auto& other : value.others) {
    if (auto added = add_as(key.link, other, host); !added) return added;
  }
  return put_behind(key.link, {key.ip, value.prefix_len}, value.secondaries, host);
}

Result<> remove(const Address::Key& key, const Address::Value& value, Host& host) {
  const auto remove_all = [&]() -> Result<> {
    if (auto removed = remove_one(key.link, {key.ip, value.prefix_len}, host); !removed) {
      return removed;
    }
    for (const auto& other : value.others) {
      if (auto removed = remove_one(key.link, other.address, host); !removed) return removed;
    }
    // One that was given back with all its lengths, and goes again as that is undone.
    for (const auto& other : value.as_found ? std::vector<AddressInfo>{} : value.as_before) {
      if (auto removed = remove_one(key.link, other.address, host); !removed) return removed;
    }
    return {};
  };
  return value.takes_others_along ? promoting(key.link, host, remove_all) : remove_all();
}

/// The secondaries of a primary, in the order in which the kernel has them.
std::vector<AddressInfo> secondaries_of(const std::vector<AddressInfo>& addresses,
                                        const AddressInfo& primary) {
  std::vector<AddressInfo> secondaries;
  if (is_primary(primary)) {
    std::ranges::copy_if(addresses, std::back_inserter(secondaries), [&](const AddressInfo& other) {
      return other.link_index == primary.link_index && other.address.ip.is_v4() &&
             !is_primary(other) && other.address.network() == primary.address.network();
    });
  }
  return secondaries;
}

/// What an earlier apply has left to give back of an address that the file names no more: somebody
/// else's change since then stays until a release.
bool is_given_back(View& view, const Node& node, const Address::Key& key,
                   const RememberedAddress& remembered) {
  const auto* const link = view.link(key.link);
  if (link == nullptr) {
    return false;
  }
  const auto wanted = node.links.find(key.link);
  if (wanted != node.links.end() && wanted->second.exclusive) {
    return false;
  }
  const auto* const standing = view.address(*link, key.ip);
  return node.released ||
         (standing == nullptr ? remembered.was_taken() : AddressJudge::marked_ours(*standing));
}

Preserved stays_beside(const std::string& link, const AddressInfo& address) {
  return {fmt::format("address {} {}", link, address.address.text()),
          "not ours: the same address with another length"};
}

/// It stands as it stood before the first apply.
bool is_as_before(const AddressInfo* standing, const RememberedAddress& remembered) {
  return standing != nullptr && !remembered.before.empty() &&
         standing->address == remembered.before.front().address;
}

/// What is remembered of an address that the file asks for, as others have it now.
LedgerEntry entry_for(const AddressJudge& judge, const Address::Key& key, std::uint8_t prefix_len,
                      const std::vector<AddressInfo>& foreign) {
  if (const auto* const known = judge.memory().find(key)) {
    return {std::to_string(prefix_len), known->entry.original};
  }
  return held_entry(prefix_len, foreign);
}

void remember_addresses(View& view, const Desired<Address>& wanted, const Node& node,
                        const AddressJudge& judge,
                        const std::map<Address::Key, std::vector<AddressInfo>>& foreign,
                        Observed<Address>& observed) {
  for (const auto& [key, asked] : wanted.asked) {
    if (!asked.compare_only && !observed.aside.contains(key)) {
      const auto found = foreign.find(key);
      observed.remember.emplace(
          Address::label(key),
          entry_for(judge, key, wanted.state.at(key).prefix_len,
                    found == foreign.end() ? std::vector<AddressInfo>{} : found->second));
    }
  }
  for (const auto& [key, remembered] : judge.memory().all()) {
    const bool leaves = observed.state.contains(key);
    const auto* const link = view.link(key.link);
    const auto* const standing = link == nullptr ? nullptr : view.address(*link, key.ip);
    const bool is_settled = wanted.state.contains(key) || remembered.before.empty() ||
                            (is_as_before(standing, remembered) && !leaves);
    if (!is_settled) {
      const bool is_away = leaves || (remembered.was_taken() && standing == nullptr);
      observed.remember.try_emplace(Address::label(key), owed_entry(remembered, is_away));
    }
  }
  for (const auto& [name, link] : node.links) {
    const bool is_there = view.link(name) != nullptr || judge.memory().has_exclusive(name);
    if (link.exclusive && is_there) {
      observed.remember.emplace(name, exclusive_entry());
    }
  }
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

void Address::complete(Desired<Address>& wanted, View& view, const Context& context) {
  const AddressMemory memory(entries_of(context.ledger, kName));
  std::set<IpAddress> placed;
  for (const auto& [key, asked] : wanted.asked) {
    if (!asked.compare_only && view.link(key.link) != nullptr) {
      placed.insert(key.ip);
    }
  }
  for (const auto& [key, remembered] : memory.all()) {
    if (remembered.before.empty()) {
      continue;
    }
    const auto& before = remembered.before;
    if (const auto asked = wanted.state.find(key); asked != wanted.state.end()) {
      if (before.front().address.prefix_len == asked->second.prefix_len) {
        asked->second.as_before = {before.front()};
      }
    } else if (!placed.contains(key.ip) && is_given_back(view, context.node, key, remembered)) {
      Value value{.prefix_len = before.front().address.prefix_len, .as_before = before};
      for (const auto& other : before | std::views::drop(1)) {
        value.other_lengths.push_back(other.address.prefix_len);
      }
      std::ranges::sort(value.other_lengths);
      wanted.state.emplace(key, std::move(value));
    }
  }
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
  std::map<Key, std::vector<AddressInfo>> taken;
  std::map<Key, std::vector<AddressInfo>> foreign;  // with the wanted length first
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
    if (judge.stood_beside(key, address)) {
      observed.preserved.push_back(stays_beside(key.link, address));
      continue;
    }
    if (judge.takes_foreign(key, address)) {
      taken[key].push_back(address);
    }
    if (asked && !judge.marked_ours(address)) {
      const bool is_right = wanted.state.at(key).prefix_len == address.address.prefix_len;
      auto& lengths = foreign[key];
      lengths.insert(is_right ? lengths.begin() : lengths.end(), address);
    }
    const bool length_changes =
        asked && wanted.state.at(key).prefix_len != address.address.prefix_len;
    observed.settling |= asked && (address.flags & IFA_F_TENTATIVE) != 0 && link->carrier;
    const bool goes = leaves || length_changes;
    Value value{
        .prefix_len = address.address.prefix_len,
        .duplicate = (address.flags & IFA_F_DADFAILED) != 0,
        .as_found = address,
        .takes_others_along =
            goes && judge.others_stay(key, address) && !promotes_secondaries(view, key.link),
        .secondaries = goes ? secondaries_of(*addresses, address) : std::vector<AddressInfo>{}};
    const auto [held, alone] = observed.state.try_emplace(key, std::move(value));
    if (!alone && leaves) {
      held->second.others.push_back(address);
      held->second.takes_others_along |= value.takes_others_along;
    } else if (!alone) {
      // IPv4 lets one address stand with several lengths: one counts, the wanted one or else ours,
      // and the others stay, since with any of them the address would lose its GID.
      const auto is_right = [&](const Value& one) {
        return asked && one.prefix_len == wanted.state.at(key).prefix_len;
      };
      const auto is_ours = [&](const Value& one) { return judge.marked_ours(*one.as_found); };
      const auto rank = [&](const Value& one) { return std::pair(is_right(one), is_ours(one)); };
      if (rank(value) > rank(held->second)) {
        std::swap(held->second, value);
      }
      if (is_right(held->second) && !is_ours(held->second) && is_ours(value)) {
        // Ours goes, with what somebody has put there as it is to be, which comes again.
        std::swap(held->second, value);
        held->second.others.push_back(*value.as_found);
        held->second.takes_others_along |= value.takes_others_along;
        continue;
      }
      observed.preserved.push_back(stays_beside(key.link, *value.as_found));
    }
  }
  for (auto& [key, held] : observed.state) {
    if (const auto want = wanted.state.find(key); want != wanted.state.end()) {
      std::ranges::copy_if(want->second.other_lengths, std::back_inserter(held.other_lengths),
                           [&](std::uint8_t prefix_len) {
                             return find(view, key.link, {key.ip, prefix_len}) != nullptr;
                           });
    }
  }
  for (const auto& [key, value] : wanted.state) {
    const bool missing = !observed.state.contains(key) && !observed.aside.contains(key);
    if (auto why = missing && !key.ip.is_v4() ? without_ipv6(view, context.node, key.link)
                                              : std::nullopt) {
      observed.aside.emplace(key, std::move(*why));
    }
  }
  for (const auto& [key, addresses_before] : taken) {
    observed.remember.emplace(label(key), taken_entry(addresses_before));
  }
  remember_addresses(view, wanted, context.node, judge, foreign, observed);
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
  Effect effect{.link = change.key.link, .is_of_ipv6_address = !change.key.ip.is_v4()};
  if (change.before) {
    effect.disturbs = Effect::Disturbs::kAddress;
    effect.ips = {change.key.ip};
  }
  return effect;
}

std::string Address::label(const Value& value) {
  std::set<std::uint8_t> lengths(value.other_lengths.begin(), value.other_lengths.end());
  for (const auto& other : value.others) {
    lengths.insert(other.address.prefix_len);
  }
  std::string others;
  for (const auto length : lengths) {
    others += fmt::format(", /{}", length);
  }
  return fmt::format("/{}{}{}{}", value.prefix_len, others,
                     value.duplicate ? ", duplicate: another host answers for it" : "",
                     value.takes_others_along && value.as_found
                         ? ", promote_secondaries set meanwhile so that no other goes with it"
                         : "");
}

}  // namespace spark
