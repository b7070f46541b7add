#include "resource/address.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "resource/address_origin.hpp"

namespace spark {
namespace {

/// What the kernel sets and clears by itself: never drift, and not ours to give back.
constexpr std::uint32_t kKernelOwnedFlags =
    IFA_F_SECONDARY | IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_PERMANENT | IFA_F_DEPRECATED;

constexpr int kMostResolvLines = 100;

/// A subnet on a link. IPv4 addresses that share one are a primary and its secondaries.
using Subnet = std::pair<std::string, IpPrefix>;

bool is_primary(const AddressInfo& address) {
  return address.address.ip.is_v4() && (address.flags & IFA_F_SECONDARY) == 0;
}

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

/// Judges the addresses of one dump by what the file and the ledger say of them.
class Judge {
 public:
  Judge(View& view, const Desired<Address>& wanted, const Context& context)
      : view_(view), wanted_(wanted), context_(context) {
    for (const auto& [key, asked] : wanted.asked) {
      if (!asked.compare_only && view.link(key.link) != nullptr) {
        placed_.emplace(key.ip, asked.where);
      }
    }
    if (const auto kind = context.ledger.find(std::string(Address::kName));
        kind != context.ledger.end()) {
      adopted_ = &kind->second;
    }
  }

  /// The file asks for it on this link.
  [[nodiscard]] bool asked(const Address::Key& key) const { return wanted_.state.contains(key); }
  [[nodiscard]] bool marked_ours(const AddressInfo& address) const {
    return address.protocol == kOurAddressProtocol;
  }
  /// Not asked for here, and yet not to stay.
  [[nodiscard]] bool leaves(const Address::Key& key, const AddressInfo& address) const {
    if (asked(key)) {
      return false;
    }
    // An address lives on one link: what another link gets, this one gives up.
    return was_ours(key, address) || placed_.contains(key.ip) ||
           (exclusive(key.link) && !is_kernel_link_local(address));
  }
  /// The line for which an address that is to leave does so; empty: only its own line is gone.
  [[nodiscard]] std::optional<Where> remover(const Address::Key& key,
                                             const AddressInfo& address) const {
    if (const auto elsewhere = placed_.find(key.ip); elsewhere != placed_.end()) {
      return elsewhere->second;
    }
    return was_ours(key, address) ? std::nullopt
                                  : std::optional(context_.node.links.at(key.link).where);
  }
  [[nodiscard]] bool exclusive(const std::string& link) const {
    const auto found = context_.node.links.find(link);
    return found != context_.node.links.end() && found->second.exclusive;
  }
  [[nodiscard]] bool mentioned(const std::string& link) const {
    return context_.node.links.contains(link);
  }
  /// The other half of `leaves`: this subnet of the link keeps or gets an address beside `primary`.
  [[nodiscard]] bool others_stay(const Address::Key& primary, const AddressInfo& address) {
    if (!staying_) {
      staying_ = staying();
    }
    return is_primary(address) && staying_->contains({primary.link, address.address.network()});
  }

 private:
  [[nodiscard]] bool was_ours(const Address::Key& key, const AddressInfo& address) const {
    return marked_ours(address) || adopted(key, address);
  }
  /// An earlier apply found it, with this length, and the file asked for it.
  [[nodiscard]] bool adopted(const Address::Key& key, const AddressInfo& address) const {
    const auto entry =
        adopted_ == nullptr ? LedgerEntries::const_iterator{} : adopted_->find(Address::label(key));
    return adopted_ != nullptr && entry != adopted_->end() &&
           entry->second.ours == std::to_string(address.address.prefix_len);
  }
  [[nodiscard]] std::set<Subnet> staying() const {
    std::set<Subnet> subnets;
    for (const auto& [key, value] : wanted_.state) {
      if (key.ip.is_v4()) {
        subnets.emplace(key.link, IpPrefix{key.ip, value.prefix_len}.network());
      }
    }
    for (const auto& address : *view_.addresses()) {
      const auto* link = view_.link(address.link_index);
      if (link != nullptr && address.address.ip.is_v4() && !is_primary(address) &&
          !leaves({link->name, address.address.ip}, address)) {
        subnets.emplace(link->name, address.address.network());
      }
    }
    return subnets;
  }

  View& view_;
  const Desired<Address>& wanted_;
  const Context& context_;
  std::map<IpAddress, Where> placed_;  ///< wanted on a link that is there, and by which line
  const LedgerEntries* adopted_ = nullptr;
  std::optional<std::set<Subnet>> staying_;  ///< only computed when something leaves
};

/// The `nameserver` lines of a resolv.conf(5).
std::vector<IpAddress> dns_servers(const std::string& text) {
  constexpr std::string_view kKey = "nameserver ";
  std::vector<IpAddress> servers;
  for (int number = 1; number <= kMostResolvLines; ++number) {
    const auto line = fold_blanks(line_of(text, number));
    const auto ip =
        line.starts_with(kKey) ? IpAddress::parse(line.substr(kKey.size())) : std::nullopt;
    if (ip) {
      servers.push_back(*ip);
    }
  }
  return servers;
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

/// The gateway of a route through the link, or a DNS server, that is reached from `address`.
std::optional<std::string> reached_from(View& view, const AddressInfo& address) {
  if (const auto& routes = view.routes()) {
    for (const auto& route : *routes) {
      if (route.link_index == address.link_index && route.gateway &&
          address.address.contains(*route.gateway)) {
        return "the gateway " + route.gateway->text();
      }
    }
  }
  // resolved's own file names the servers behind its stub.
  for (const auto* path : {"/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"}) {
    const auto& text = view.file(path);
    for (const auto& server : text && *text ? dns_servers(**text) : std::vector<IpAddress>{}) {
      if (address.address.contains(server)) {
        return "the DNS server " + server.text();
      }
    }
  }
  return std::nullopt;
}

/// `exclusive` on a link that serves others: one that DHCP or router advertisements feed would be
/// fought over, and a gateway or a DNS server that is reached from an address would be lost with
/// it.
std::optional<Objection> serves_others(View& view, const AddressInfo& address, bool leaves,
                                       const std::string& link, Where where) {
  std::string why;
  if ((address.flags & IFA_F_PERMANENT) == 0) {
    why = "has a lifetime: DHCP or router advertisements feed this link";
  } else if (const auto reached = leaves ? reached_from(view, address) : std::nullopt) {
    why = fmt::format("would go, and {} is reached from it", *reached);
  } else {
    return std::nullopt;
  }
  return Objection{Objection::Why::kRefused, "SR-ADDR-001",
                   fmt::format("'{}' is `exclusive`, yet {} on it {}. Remove `exclusive: true`, or "
                               "write `owner: host`",
                               link, address.address.text(), why),
                   where};
}

/// Why an address cannot be had on a link that is there; empty: it can, or it is there.
std::optional<Aside> cannot_stand(View& view, const Address::Key& key,
                                  const std::vector<AddressInfo>& addresses) {
  const auto* link = view.link(key.link);
  const auto there = std::ranges::find_if(addresses, [&](const AddressInfo& address) {
    return link != nullptr && address.link_index == link->index && address.address.ip == key.ip;
  });
  if (there != addresses.end() && there->peer) {
    return Aside{
        Aside::Why::kNotHeld, "SR-ADDR-002",
        fmt::format("is there as one end of a point-to-point link to {}: remove it by hand "
                    "to have it in a subnet",
                    there->peer->text())};
  }
  const auto disable = fmt::format("net/ipv6/conf/{}/disable_ipv6", key.link);
  if (link == nullptr || there != addresses.end() || key.ip.is_v4()) {
    return std::nullopt;
  }
  const auto& disabled = view.sysctl(disable);
  if (!disabled || disabled->text == "0") {
    return std::nullopt;
  }
  return Aside{Aside::Why::kNotHeld, "SR-ADDR-003",
               fmt::format("IPv6 is disabled on '{}': set {} to 0", key.link, disable)};
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
  Judge judge(view, wanted, context);
  for (const auto& [key, value] : wanted.state) {
    if (auto why = cannot_stand(view, key, *addresses)) {
      observed.aside.emplace(key, std::move(*why));
    }
  }
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

std::string Address::record(const Value& value) {
  nlohmann::json json{{"prefix_len", value.prefix_len}};
  if (value.as_found) {
    json["as_found"] = record_address(*value.as_found);
  }
  if (value.takes_others_along) {
    json["takes_others_along"] = true;
  }
  return json.dump();
}

}  // namespace spark
