// Address, the half that looks: which addresses are wanted, and which of those there are compared.

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <linux/if_addr.h>

#include "kinds/network/address.hpp"
#include "kinds/network/address_judge.hpp"
#include "kinds/network/address_origin.hpp"

namespace spark::kinds {
namespace {

/// The secondaries of a primary, in the order in which the kernel has them.
std::vector<host::AddressInfo> secondaries_of(const std::vector<host::AddressInfo>& addresses,
                                              const host::AddressInfo& primary) {
  std::vector<host::AddressInfo> secondaries;
  if (is_primary(primary)) {
    std::ranges::copy_if(
        addresses, std::back_inserter(secondaries), [&](const host::AddressInfo& other) {
          return other.link_index == primary.link_index && other.address.ip.is_v4() &&
                 !is_primary(other) && other.address.network() == primary.address.network();
        });
  }
  return secondaries;
}

/// All lengths with which addresses stand, in the kernel's order. Made once it is asked.
class AllLengths {
 public:
  explicit AllLengths(host::View& view) : view_(view) {}

  const std::vector<host::AddressInfo>& of(const Address::Key& key) {
    if (!found_) collect();
    return (*found_)[key];
  }

 private:
  void collect() {
    found_.emplace();
    const auto& addresses = view_.addresses();
    if (!addresses) return;
    for (const auto& address : *addresses) {
      if (const auto* const link = view_.link(address.link_index)) {
        (*found_)[{link->name, address.address.ip}].push_back(address);
      }
    }
  }

  host::View& view_;
  std::optional<std::map<Address::Key, std::vector<host::AddressInfo>>> found_;
};

/// Whether an address that an earlier apply changed and the file no longer names is restored now. A
/// change by somebody else since then stays until a release.
bool is_restored_now(host::View& view, AllLengths& lengths, const config::Node& node,
                     const Address::Key& key, const RememberedAddress& remembered) {
  if (view.link(key.link) == nullptr) return false;
  const auto wanted = node.links.find(key.link);
  if (wanted != node.links.end() && wanted->second.exclusive) return false;
  if (node.released) return true;
  const auto& standing = lengths.of(key);
  // Of one that was taken away with several lengths, some may be back.
  const bool is_away = std::ranges::all_of(standing, [&](const host::AddressInfo& address) {
    return has_length(remembered.before, address.address.prefix_len);
  });
  return (remembered.was_taken() && is_away) ||
         std::ranges::any_of(standing, AddressJudge::marked_ours);
}

/// As it was before us; a length that somebody has set since is as he set it.
std::vector<host::AddressInfo> as_left(std::vector<host::AddressInfo> before,
                                       const std::vector<host::AddressInfo>& standing) {
  for (auto& address : before) {
    const auto found = std::ranges::find(standing, address.address, &host::AddressInfo::address);
    if (found != standing.end() && !AddressJudge::marked_ours(*found)) address = *found;
  }
  return before;
}

LeftUnchanged stays_beside(const std::string& link, const host::AddressInfo& address) {
  return {fmt::format("address {} {}", link, address.address.text()),
          "not ours: the same address with another length"};
}

/// A release or a rollback alone wants one with a peer, which stood there before.
bool is_wanted_with_peer(const Desired<Address>& wanted, const Address::Key& key,
                         const host::AddressInfo& address) {
  return std::ranges::any_of(
      wanted.state.at(key).details.standing, [&](const host::AddressInfo& other) {
        return other.address == address.address && other.peer == address.peer;
      });
}

/// It stands as it stood before the first apply.
bool is_as_before(const std::vector<host::AddressInfo>& standing,
                  const RememberedAddress& remembered) {
  return std::ranges::all_of(remembered.before, [&](const host::AddressInfo& before) {
    return has_length(standing, before.address.prefix_len);
  });
}

using AddressesByKey = std::map<Address::Key, std::vector<host::AddressInfo>>;

/// What is remembered of an address that the file asks for; `foreign`: as others have it now.
LedgerEntry entry_for(const AddressJudge& judge, const Address::Key& key,
                      const Address::Value& wanted, const AddressesByKey& foreign) {
  const auto prefix_len = in_order(wanted.lengths).front();
  if (const auto* const known = judge.memory().find(key)) {
    return {std::to_string(prefix_len), known->entry.original};
  }
  const auto found = foreign.find(key);
  return held_entry(prefix_len,
                    found == foreign.end() ? std::vector<host::AddressInfo>{} : found->second);
}

void remember_addresses(host::View& view, const Desired<Address>& wanted, const config::Node& node,
                        const AddressJudge& judge, const AddressesByKey& foreign,
                        Observed<Address>& observed) {
  for (const auto& [key, asked] : wanted.origins) {
    if (!asked.compare_only && !observed.skipped.contains(key)) {
      observed.remember.emplace(Address::label(key),
                                entry_for(judge, key, wanted.state.at(key), foreign));
    }
  }
  AllLengths lengths(view);
  for (const auto& [key, remembered] : judge.memory().all()) {
    const auto asked = wanted.origins.find(key);
    const bool is_compared = asked != wanted.origins.end() && asked->second.compare_only;
    if ((asked != wanted.origins.end() && !is_compared) || remembered.before.empty()) continue;
    // Includes an address that is to be restored and is not there yet: an interrupted apply resumes
    // there.
    const bool comes_back = !is_compared && wanted.state.contains(key);
    const bool leaves = !comes_back && observed.state.contains(key);
    const auto& there = lengths.of(key);
    if (leaves || !is_as_before(there, remembered)) {
      const bool is_away = leaves || comes_back || (remembered.was_taken() && there.empty());
      observed.remember.try_emplace(Address::label(key), owed_entry(remembered, is_away));
    }
  }
  for (const auto& [name, link] : node.links) {
    const bool is_there = view.link(name) != nullptr || judge.memory().has_exclusive(name);
    if (link.exclusive && is_there) observed.remember.emplace(name, exclusive_entry());
  }
}

/// What is there of one that is asked for or leaves.
Stated<Address> value_of(host::View& view, AddressJudge& judge, const Desired<Address>& wanted,
                         const Address::Key& key, std::vector<host::AddressInfo> standing) {
  auto value = Address::stated(std::move(standing));
  auto& details = value.details;
  value.duplicate = std::ranges::any_of(details.standing, [](const host::AddressInfo& address) {
    return (address.flags & IFA_F_DADFAILED) != 0;
  });
  const auto after = wanted.state.find(key);
  if (after != wanted.state.end() && value == after->second) return value;
  const bool promotes = promotes_secondaries(view, key.link);
  for (const auto& address : details.standing) {
    details.takes_others_along |= !promotes && judge.others_stay(key, address);
    std::ranges::move(secondaries_of(*view.addresses(), address),
                      std::back_inserter(details.secondaries));
  }
  return value;
}

}  // namespace

void Address::complete(Desired<Address>& wanted, host::View& view, const Context& context) {
  const AddressMemory memory(entries_of(context.ledger, kName));
  AllLengths lengths(view);
  std::set<IpAddress> placed;
  for (const auto& [key, asked] : wanted.origins) {
    if (!asked.compare_only && view.link(key.link) != nullptr) placed.insert(key.ip);
  }
  for (const auto& [key, remembered] : memory.all()) {
    if (remembered.before.empty()) continue;
    auto before = as_left(remembered.before, lengths.of(key));
    if (const auto asked = wanted.state.find(key); asked != wanted.state.end()) {
      const auto same = std::ranges::find(before, asked->second.details.standing.front().address,
                                          &host::AddressInfo::address);
      if (same != before.end()) asked->second = stated({*same});
    } else if (!placed.contains(key.ip) &&
               is_restored_now(view, lengths, context.node, key, remembered)) {
      wanted.state.emplace(key, stated(std::move(before)));
    }
  }
}

Result<Observed<Address>> Address::observe(host::View& view, const Desired<Address>& wanted,
                                           const Context& context) {
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  const auto& addresses = view.addresses();
  if (!addresses) return std::unexpected(addresses.error());

  Observed<Address> observed;
  for (const auto& [key, value] : wanted.state) {
    if (view.link(key.link) == nullptr) observed.skipped.emplace(key, waiting_for_link(key.link));
  }
  AddressJudge judge(view, wanted, context);
  AddressesByKey taken;
  AddressesByKey standing;  // of what is asked for or leaves
  AddressesByKey foreign;   // those of them that somebody else set
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
        observed.left_unchanged.push_back(
            {fmt::format("address {} {}", key.link, address.address.text()), "not ours"});
      }
      continue;
    }
    if (const auto remover = leaves ? judge.remover(key, address) : std::nullopt) {
      observed.removers.emplace(key, *remover);
    }
    if (judge.exclusive(key.link)) {
      if (auto refusal = serves_others(view, address, leaves, key.link,
                                       context.node.links.at(key.link).where)) {
        observed.refusals.push_back(std::move(*refusal));
      }
    }
    if (asked && address.peer && !is_wanted_with_peer(wanted, key, address)) {
      observed.skipped.emplace(key, point_to_point(address));
      continue;
    }
    if (judge.takes_foreign(key, address)) taken[key].push_back(address);
    observed.settling |= asked && (address.flags & IFA_F_TENTATIVE) != 0 && link->carrier;
    if (!AddressJudge::marked_ours(address)) foreign[key].push_back(address);
    standing[key].push_back(address);
  }
  // Each goes as soon as it is looked at: of ten thousand addresses, few lists at a time are
  // enough.
  while (!standing.empty()) {
    const auto node = standing.extract(standing.begin());
    const auto& key = node.key();
    auto held = judge.held(key, node.mapped());
    for (const auto& other : node.mapped()) {
      if (!has_length(held, other.address.prefix_len)) {
        observed.left_unchanged.push_back(stays_beside(key.link, other));
      }
    }
    if (!held.empty()) {
      observed.state.emplace(key, value_of(view, judge, wanted, key, std::move(held)));
    }
  }
  for (const auto& [key, value] : wanted.state) {
    const bool missing = !observed.state.contains(key) && !observed.skipped.contains(key);
    if (auto why = missing && !key.ip.is_v4() ? without_ipv6(view, context.node, key.link)
                                              : std::nullopt) {
      observed.skipped.emplace(key, std::move(*why));
    }
  }
  for (const auto& [key, value] : wanted.state) {
    const auto* link = view.link(key.link);
    auto why = link == nullptr ? std::nullopt : port_of_another(view, *link, context.node);
    if (why && !observed.skipped.contains(key)) observed.shortfalls.emplace(key, std::move(*why));
  }
  for (const auto& [key, addresses_before] : taken) {
    observed.remember.emplace(label(key), taken_entry(addresses_before));
  }
  remember_addresses(view, wanted, context.node, judge, foreign, observed);
  return observed;
}

}  // namespace spark::kinds
