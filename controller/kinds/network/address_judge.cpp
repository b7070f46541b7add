#include "kinds/network/address_judge.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <linux/if_addr.h>

#include <nlohmann/json.hpp>

#include "base/json_reader.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "host/json/view_fields.hpp"
#include "kinds/network/port_of.hpp"

namespace spark::kinds {
namespace {

// Words of the ledger.
constexpr const char* kAbsent = "absent";
constexpr const char* kTaken = "taken";
constexpr const char* kExclusive = "exclusive";

std::string text_of(std::vector<host::AddressInfo> addresses) {
  for (auto& address : addresses) {
    address.link_index = 0;  // that of today
  }
  return addresses.empty() ? kAbsent : JsonWriter::write(addresses).dump();
}

/// Empty where it is none: what was there is then not known.
std::vector<host::AddressInfo> addresses_in(const std::string& text) {
  if (text == kAbsent) return {};
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<host::AddressInfo> addresses;
  JsonReader reader;
  reader.read(json, addresses);
  return reader.problem().empty() ? addresses : std::vector<host::AddressInfo>{};
}

}  // namespace

bool RememberedAddress::was_taken() const { return entry.ours == kTaken; }

AddressMemory::AddressMemory(const LedgerEntries& entries) {
  for (const auto& [label, entry] : entries) {
    const auto blank = label.rfind(' ');
    if (blank == std::string::npos) {
      exclusive_.insert(label);
      continue;
    }
    const auto ip = IpAddress::parse(label.substr(blank + 1));
    if (!ip) continue;
    addresses_.emplace(Address::Key{label.substr(0, blank), *ip},
                       RememberedAddress{.entry = entry,
                                         .before = addresses_in(entry.original),
                                         .was_absent = entry.original == kAbsent});
  }
}

const RememberedAddress* AddressMemory::find(const Address::Key& key) const {
  const auto found = addresses_.find(key);
  return found == addresses_.end() ? nullptr : &found->second;
}

bool has_length(const std::vector<host::AddressInfo>& standing, std::uint8_t prefix_len) {
  return std::ranges::any_of(standing, [&](const host::AddressInfo& address) {
    return address.address.prefix_len == prefix_len;
  });
}

LedgerEntry held_entry(std::uint8_t prefix_len, const std::vector<host::AddressInfo>& before) {
  return {std::to_string(prefix_len), text_of(before)};
}

LedgerEntry taken_entry(const std::vector<host::AddressInfo>& before) {
  return {kTaken, text_of(before)};
}

LedgerEntry owed_entry(const RememberedAddress& remembered, bool is_away) {
  return {is_away ? kTaken : "", remembered.entry.original};
}

LedgerEntry exclusive_entry() { return {kExclusive, ""}; }

namespace {

constexpr int kMostResolvLines = 100;

/// The `nameserver` lines of a resolv.conf(5).
std::vector<IpAddress> dns_servers(const std::string& text) {
  constexpr std::string_view kKey = "nameserver ";
  std::vector<IpAddress> servers;
  for (int number = 1; number <= kMostResolvLines; ++number) {
    const auto line = fold_blanks(line_of(text, number));
    const auto ip =
        line.starts_with(kKey) ? IpAddress::parse(line.substr(kKey.size())) : std::nullopt;
    if (ip) servers.push_back(*ip);
  }
  return servers;
}

/// The gateway of a route of others through the link, or a DNS server, that is reached from
/// `address`. Routes of ours follow their addresses.
std::optional<std::string> reached_from(host::View& view, const host::AddressInfo& address) {
  if (const auto& routes = view.routes()) {
    for (const auto& route : *routes) {
      if (route.link_index == address.link_index && route.gateway &&
          route.protocol != host::kMadeByUs && address.address.contains(*route.gateway)) {
        return "the gateway " + route.gateway->text();
      }
    }
  }
  // resolved's own file names the servers behind its stub.
  for (const auto* path : {"/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"}) {
    const auto& text = view.file(path);
    for (const auto& server : text && *text ? dns_servers(**text) : std::vector<IpAddress>{}) {
      if (address.address.contains(server)) return "the DNS server " + server.text();
    }
  }
  return std::nullopt;
}

const host::AddressInfo& shortest(const std::vector<host::AddressInfo>& lengths) {
  return *std::ranges::min_element(
      lengths, {}, [](const host::AddressInfo& address) { return address.address.prefix_len; });
}

}  // namespace

AddressJudge::AddressJudge(host::View& view, const Desired<Address>& wanted, const Context& context)
    : view_(view),
      wanted_(wanted),
      context_(context),
      memory_(entries_of(context.ledger, Address::kName)) {
  for (const auto& [key, asked] : wanted.origins) {
    if (!asked.compare_only && view.link(key.link) != nullptr) placed_.emplace(key.ip, asked.where);
  }
}

bool AddressJudge::marked_ours(const host::AddressInfo& address) {
  return address.protocol == kOurAddressProtocol;
}

bool AddressJudge::leaves(const Address::Key& key, const host::AddressInfo& address) const {
  if (asked(key)) return false;
  // An address lives on one link: what another link gets, this one gives up.
  return was_ours(key, address) || placed_.contains(key.ip) ||
         (exclusive(key.link) && !is_kernel_link_local(address));
}

bool AddressJudge::is_wanted(const Address::Key& key, const host::AddressInfo& address) const {
  const auto wanted = wanted_.state.find(key);
  return wanted != wanted_.state.end() && wanted->second.lengths.test(address.address.prefix_len);
}

/// It stood there before the first apply too, and another than it counts: the wanted length, or
/// else the shortest, which the wanted one has replaced. So it stays, also while that one is
/// missing.
bool AddressJudge::stood_beside(const Address::Key& key, const host::AddressInfo& address) const {
  const auto* const known = memory_.find(key);
  if (known == nullptr || !has_length(known->before, address.address.prefix_len)) return false;
  const auto wants = [&](const host::AddressInfo& other) { return is_wanted(key, other); };
  return std::ranges::any_of(known->before, wants)
             ? !wants(address)
             : address.address.prefix_len != shortest(known->before).address.prefix_len;
}

std::vector<host::AddressInfo> AddressJudge::held(
    const Address::Key& key, const std::vector<host::AddressInfo>& standing) const {
  if (!asked(key) || exclusive(key.link)) return standing;
  std::vector<host::AddressInfo> held;
  std::ranges::copy_if(standing, std::back_inserter(held), [&](const host::AddressInfo& address) {
    return is_wanted(key, address) || marked_ours(address);
  });
  if (held.empty()) {
    std::ranges::remove_copy_if(
        standing, std::back_inserter(held),
        [&](const host::AddressInfo& address) { return stood_beside(key, address); });
    // Chosen by length, not by order: a rollback adds it again behind the others.
    if (!held.empty()) held = {shortest(held)};
  }
  return held;
}

/// It is removed, if only to come again.
bool AddressJudge::goes(const Address::Key& key, const host::AddressInfo& address) const {
  if (!asked(key)) return leaves(key, address);
  std::vector<host::AddressInfo> standing;
  std::ranges::copy_if(
      *view_.addresses(), std::back_inserter(standing), [&](const host::AddressInfo& other) {
        return other.link_index == address.link_index && other.address.ip == key.ip;
      });
  const auto held = this->held(key, standing);
  return has_length(held, address.address.prefix_len) &&
         !std::ranges::all_of(
             held, [&](const host::AddressInfo& other) { return is_wanted(key, other); });
}

std::optional<config::Where> AddressJudge::remover(const Address::Key& key,
                                                   const host::AddressInfo& address) const {
  if (const auto elsewhere = placed_.find(key.ip); elsewhere != placed_.end()) {
    return elsewhere->second;
  }
  return was_ours(key, address) ? std::nullopt
                                : std::optional(context_.node.links.at(key.link).where);
}

bool AddressJudge::exclusive(const std::string& link) const {
  const auto found = context_.node.links.find(link);
  return found != context_.node.links.end() && found->second.exclusive;
}

bool AddressJudge::others_stay(const Address::Key& primary, const host::AddressInfo& address) {
  if (!staying_) staying_ = staying();
  const auto found = staying_->find({primary.link, address.address.network()});
  const bool alone =
      found == staying_->end() ||
      std::ranges::all_of(found->second, [&](const IpAddress& ip) { return ip == primary.ip; });
  // The second half looks at all addresses, so only where it matters.
  return !alone && (is_primary(address) || loses_its_primary(address));
}

bool AddressJudge::loses_its_primary(const host::AddressInfo& secondary) const {
  const auto* const link = view_.link(secondary.link_index);
  return link != nullptr &&
         std::ranges::any_of(*view_.addresses(), [&](const host::AddressInfo& other) {
           if (other.link_index != secondary.link_index || !is_primary(other) ||
               other.address.network() != secondary.address.network()) {
             return false;
           }
           const Address::Key key{link->name, other.address.ip};
           return goes(key, other);
         });
}

bool AddressJudge::was_ours(const Address::Key& key, const host::AddressInfo& address) const {
  if (marked_ours(address)) return true;
  // Before Linux 5.18 there is no mark, and an address that is added again by hand has none.
  const auto* const known = memory_.find(key);
  return known != nullptr && known->was_absent &&
         known->entry.ours == std::to_string(address.address.prefix_len);
}

bool AddressJudge::takes_foreign(const Address::Key& key, const host::AddressInfo& address) const {
  if (!leaves(key, address) || was_ours(key, address) || memory_.find(key) != nullptr) return false;
  return placed_.contains(key.ip) || !memory_.has_exclusive(key.link);
}

std::map<Subnet, std::set<IpAddress>> AddressJudge::staying() const {
  std::map<Subnet, std::set<IpAddress>> subnets;
  for (const auto& [key, value] : wanted_.state) {
    for (const auto& address : value.details.standing) {
      if (key.ip.is_v4()) subnets[{key.link, address.address.network()}].insert(key.ip);
    }
  }
  for (const auto& address : *view_.addresses()) {
    const auto* link = view_.link(address.link_index);
    if (link != nullptr && address.address.ip.is_v4() && !is_primary(address) &&
        !leaves({link->name, address.address.ip}, address)) {
      subnets[{link->name, address.address.network()}].insert(address.address.ip);
    }
  }
  return subnets;
}

std::optional<Refusal> serves_others(host::View& view, const host::AddressInfo& address,
                                     bool leaves, const std::string& link, config::Where where) {
  std::string why;
  if ((address.flags & IFA_F_PERMANENT) == 0) {
    why = "has a lifetime: DHCP or router advertisements feed this link";
  } else if (const auto reached = leaves ? reached_from(view, address) : std::nullopt) {
    why = fmt::format("would go, and {} is reached from it", *reached);
  } else {
    return std::nullopt;
  }
  return Refusal{Refusal::Why::kRefused, "SR-ADDR-001",
                 fmt::format("'{}' is `exclusive`, yet {} on it {}. Remove `exclusive: true`, or "
                             "write `owner: host`",
                             link, address.address.text(), why),
                 where};
}

Skipped point_to_point(const host::AddressInfo& address) {
  return {
      Skipped::Why::kNotEnforced, "SR-ADDR-002",
      fmt::format("is there as one end of a point-to-point link to {}: remove it by hand to have "
                  "it in a subnet",
                  address.peer->text())};
}

std::optional<Skipped> port_of_another(host::View& view, const host::LinkInfo& link,
                                       const config::Node& node) {
  const auto port = port_of(view, link, &node);
  if (!port) return std::nullopt;
  return Skipped{Skipped::Why::kNotEnforced, "SR-ADDR-004",
                 fmt::format("'{0}' is {1}, so an address on '{0}' reaches nobody: {2}", link.name,
                             port->what, port->remedy)};
}

std::optional<Skipped> without_ipv6(host::View& view, const config::Node& node,
                                    const std::string& link) {
  const auto wanted = node.links.find(link);
  if (wanted != node.links.end() && wanted->second.mtu && !wanted->second.owner_host &&
      wanted->second.mtu->value < host::kLeastMtuOfIpv6) {
    return Skipped{Skipped::Why::kNotEnforced, "SR-ADDR-003",
                   fmt::format("IPv6 needs an MTU of {}, and the file gives '{}' {}: ask for more",
                               host::kLeastMtuOfIpv6, link, wanted->second.mtu->value)};
  }
  const auto key = fmt::format("net/ipv6/conf/{}/disable_ipv6", link);
  const auto& disabled = view.sysctl(key);
  if (!disabled || disabled->text == "0") return std::nullopt;
  return Skipped{Skipped::Why::kNotEnforced, "SR-ADDR-003",
                 fmt::format("IPv6 is disabled on '{}': set {} to 0", link, key)};
}

}  // namespace spark::kinds
