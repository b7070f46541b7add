#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "kinds/network/address.hpp"
#include "kinds/network/address_origin.hpp"
#include "plan/free_subnet.hpp"
#include "plan/refusals.hpp"

namespace spark::plan {
namespace {

/// The keys of the addresses that the plan sets.
std::set<std::string> keys_set_by(const Plan& plan) {
  std::set<std::string> keys;
  for (const auto& step : plan.steps) {
    if (step.kind == kinds::Address::kName && step.after) keys.insert(step.key);
  }
  return keys;
}

/// The file sets the link up: what stands on it is the file's business.
bool is_set_up(const config::Node& node, const host::LinkInfo& link) {
  const auto wanted = node.links.find(link.name);
  return wanted != node.links.end() && !wanted->second.owner_host;
}

/// Another function of the card: its address is of an earlier cabling, and goes to the rail.
bool is_rail(const config::Node& node, host::View& view, const host::LinkInfo& link) {
  return config::rail_of_dgx_name(link.name) ||
         std::ranges::any_of(node.links, [&](const auto& entry) {
           const auto* rail =
               entry.second.role == config::LinkRole::kRail ? view.link(entry.first) : nullptr;
           return rail != nullptr && !rail->phys_switch_id.empty() &&
                  rail->phys_switch_id == link.phys_switch_id;
         });
}

/// An address that may be in the way: on a link of somebody else, and not marked as ours.
struct Suspect {
  const host::LinkInfo* link;
  const host::AddressInfo* address;
};

std::vector<Suspect> suspects(const config::Node& node, host::View& view) {
  std::vector<Suspect> found;
  const auto& addresses = view.addresses();
  if (!addresses) return found;  // no address is set then
  for (const auto& address : *addresses) {
    const auto* link = view.link(address.link_index);
    if (link != nullptr && !link->loopback && !is_set_up(node, *link) &&
        address.protocol != kinds::kOurAddressProtocol && !is_rail(node, view, *link)) {
      found.push_back({link, &address});
    }
  }
  return found;
}

/// A single address is in no subnet; it is in the way only where the rail is to have the same.
bool is_in_the_way(const host::AddressInfo& address, const IpPrefix& wanted) {
  const bool alone = address.peer || address.address.prefix_len == address.address.ip.bits();
  return alone ? address.address.ip == wanted.ip
               : !address.address.ip.is_link_local() && address.address.overlaps(wanted);
}

bool is_lan(const config::Node& node, host::View& view, const host::LinkInfo& link) {
  if (node.management && view.link(node.management->value) == &link) return true;
  const auto& routes = view.routes();
  return routes && std::ranges::any_of(*routes, [&](const host::RouteInfo& route) {
           return route.destination.prefix_len == 0 && route.link_index == link.index;
         });
}

/// All that a new subnet must not overlap.
std::vector<IpPrefix> taken_subnets(const config::Node& node, host::View& view) {
  auto taken = node.fabric.subnets;
  for (const auto& [name, link] : node.links) {
    for (const auto& address : link.addresses) taken.push_back(address.value.network());
  }
  std::ranges::copy(subnets_in_use(view), std::back_inserter(taken));
  return taken;
}

/// "the cable" or "the switch".
std::string_view segment_of(const config::Node& node, const std::string& link) {
  const auto peer = std::ranges::find(node.peers, link, &config::Peer::link);
  return peer != node.peers.end() && !peer->segment.empty() ? "the switch" : "the cable";
}

/// The clashes of one look; each example that is given is taken from then on.
class Clashes {
 public:
  Clashes(const Plan& plan, const config::Node& node, host::View& view, const kinds::Ledger& ledger)
      : plan_(plan), node_(node), view_(view), ledger_(ledger) {}

  std::vector<kinds::Refusal> find() {
    const auto keys = keys_set_by(plan_);
    const auto others = keys.empty() ? std::vector<Suspect>{} : suspects(node_, view_);
    if (others.empty()) return {};
    for (const auto& [name, link] : node_.links) {
      for (const auto& wanted : link.addresses) {
        if (link.role == config::LinkRole::kRail &&
            keys.contains(kinds::Address::label(kinds::Address::Key{name, wanted.value.ip}))) {
          for (const auto& suspect : others) judge(name, wanted, suspect);
        }
      }
    }
    return std::move(refusals_);
  }

 private:
  void judge(const std::string& rail, const config::At<IpPrefix>& wanted, const Suspect& suspect) {
    const auto& [link, address] = suspect;
    if (!is_in_the_way(*address, wanted.value) || !is_of_others(node_, ledger_, *link, *address)) {
      return;
    }
    const auto ours = wanted.value.network();
    const auto theirs = address->address.network();
    if (!reported_.emplace(ours, link->name).second) return;
    auto example = std::string();
    if (const auto free = ours.ip.is_v4() ? find_example() : std::nullopt) {
      example = fmt::format(", for example {}", free->text());
    }
    refusals_.push_back(
        {kinds::Refusal::Why::kRefused, "SR-ROUTE-002",
         fmt::format("{} {} '{}'{}: give {} another{}", ours.text(),
                     ours == theirs ? std::string("is the subnet of")
                                    : fmt::format("overlaps {}, the subnet of", theirs.text()),
                     link->name, is_lan(node_, view_, *link) ? ", your LAN" : "",
                     segment_of(node_, rail), example),
         wanted.where});
  }

  std::optional<IpPrefix> find_example() {
    if (!taken_) taken_ = taken_subnets(node_, view_);
    const auto found = free_subnet(*taken_);
    if (found) taken_->push_back(*found);
    return found;
  }

  const Plan& plan_;
  const config::Node& node_;
  host::View& view_;
  const kinds::Ledger& ledger_;
  std::vector<kinds::Refusal> refusals_;
  std::set<std::pair<IpPrefix, std::string>> reported_;
  std::optional<std::vector<IpPrefix>> taken_;
};

}  // namespace

bool is_of_others(const config::Node& node, const kinds::Ledger& ledger, const host::LinkInfo& link,
                  const host::AddressInfo& address) {
  if (is_set_up(node, link) || address.protocol == kinds::kOurAddressProtocol) return false;
  const auto label = kinds::Address::label(kinds::Address::Key{link.name, address.address.ip});
  return !kinds::entries_of(ledger, kinds::Address::kName).contains(label);
}

std::vector<kinds::Refusal> find_subnet_clashes(const Plan& plan, const config::Node& node,
                                                host::View& view, const kinds::Ledger& ledger) {
  return Clashes(plan, node, view, ledger).find();
}

}  // namespace spark::plan
