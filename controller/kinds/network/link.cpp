#include "kinds/network/link.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <linux/if_addr.h>

#include <nlohmann/json.hpp>

#include "kinds/network/address_origin.hpp"
#include "kinds/network/link_local.hpp"
#include "kinds/network/port_of.hpp"

namespace spark::kinds {
namespace {

/// What uses one rail of an unused cage; empty: nothing.
std::optional<std::string> use_of_rail(host::View& view, const config::Node& node, int cage,
                                       const host::LinkInfo& link) {
  if (link.carrier) return unnamed_cage_text(node, cage);
  const auto& addresses = view.addresses();
  if (!addresses) return addresses.error().what;
  const auto foreign = std::ranges::find_if(*addresses, [&](const host::AddressInfo& address) {
    return address.link_index == link.index && !is_kernel_link_local(address) &&
           address.protocol != kOurAddressProtocol;
  });
  if (foreign == addresses->end()) return std::nullopt;
  return fmt::format("'{}' carries {}, which is not ours: someone uses the cage", link.name,
                     foreign->address.text());
}

/// Why an unused cage must not go down after all; empty: it may. Both its rails are connected to
/// one cable: what uses one of them uses the cage.
std::optional<std::string> use_of_cage(host::View& view, const config::Node& node, int cage) {
  for (const auto& [name, wanted] : node.links) {
    const bool in_cage = wanted.role == config::LinkRole::kUnused && wanted.rail->cage == cage;
    const auto* rail = in_cage ? view.link(name) : nullptr;
    if (auto use = rail == nullptr ? std::nullopt : use_of_rail(view, node, cage, *rail)) {
      return use;
    }
  }
  return std::nullopt;
}

/// The link has no IPv6 only because of its MTU, and the same plan gives it a larger one.
bool gets_ipv6(const host::LinkInfo& link, const config::Node& node) {
  const auto& mtu = node.links.at(link.name).mtu;
  return !link.ipv6_addr_gen_mode && link.mtu < host::kLeastMtuOfIpv6 && mtu &&
         mtu->value >= host::kLeastMtuOfIpv6;
}

/// The same plan ends IPv6 on the link by its MTU, and all that IPv6 had there with it.
bool loses_ipv6(const host::LinkInfo& link, const config::Node& node) {
  const auto& mtu = node.links.at(link.name).mtu;
  return mtu && mtu->value < host::kLeastMtuOfIpv6 && !node.links.at(link.name).owner_host;
}

/// The link as it is, in the terms in which `want` asks for it.
Result<Stated<Link>> value_of(host::View& view, const host::LinkInfo& link,
                              const Stated<Link>& want, const config::Node& node) {
  Stated<Link> value{{}, {.unused = want.details.unused}};
  if (want.up) value.up = link.up;
  if (!want.link_local || gets_ipv6(link, node)) return value;
  if (!link.ipv6_addr_gen_mode || loses_ipv6(link, node)) {
    // No IPv6 on the link (disabled, or MTU below 1280): no mode to set, and no addresses either.
    value.link_local = config::LinkLocalMode::kNone;
    return value;
  }
  value.link_local = static_cast<config::LinkLocalMode>(*link.ipv6_addr_gen_mode);
  if (*want.link_local == config::LinkLocalMode::kNone ||
      value.link_local == config::LinkLocalMode::kNone) {
    auto made = kernel_made_on(view, link);
    if (!made) return std::unexpected(made.error());
    value.kernel_made = std::move(*made);
    std::ranges::sort(value.kernel_made, {},
                      [](const host::AddressInfo& address) { return address.address.ip; });
    value.details.is_found = true;
  }
  return value;
}

std::vector<IpAddress> ips_of(const std::vector<host::AddressInfo>& addresses) {
  std::vector<IpAddress> ips;
  std::ranges::transform(addresses, std::back_inserter(ips),
                         [](const host::AddressInfo& address) { return address.address.ip; });
  return ips;
}

/// Remembers what a release restores: what the file asks for, now or at any time before. The rest
/// of the link is somebody else's.
void remember_original(LedgerEntries& remembered, const host::LinkInfo& link,
                       const Link::Value& want) {
  const auto entry = remembered.try_emplace(link.name, Link::label(want), "{}").first;
  auto original = nlohmann::json::parse(entry->second.original, nullptr, false);
  if (!original.is_object()) return;
  if (want.up && !original.contains("up")) original["up"] = link.up;
  if (want.link_local && link.ipv6_addr_gen_mode && !original.contains("link_local")) {
    original["link_local"] = name_of(static_cast<config::LinkLocalMode>(*link.ipv6_addr_gen_mode));
  }
  entry->second.original = original.dump();
}

/// With another mode than `none`, what the kernel made stays beside what it makes then.
bool removes_kernel_made(const Change<Link>& change) {
  return change.after->link_local == config::LinkLocalMode::kNone &&
         !change.before->kernel_made.empty();
}

bool goes_down(const Change<Link>& change) {
  return change.before->up == true && change.after->up == false;
}

/// The kernel takes the mode stable_privacy only where a secret is set (check_stable_privacy in
/// net/ipv6/addrconf.c); reading one that is not set is EIO. Empty: there is one, or it is not
/// known.
std::optional<std::string> no_secret(host::View& view, const host::LinkInfo& link,
                                     const Link::Value& want) {
  constexpr auto kMode = static_cast<std::uint8_t>(config::LinkLocalMode::kStablePrivacy);
  if (want.link_local != config::LinkLocalMode::kStablePrivacy ||
      link.ipv6_addr_gen_mode == kMode) {
    return std::nullopt;
  }
  const auto own = fmt::format("net/ipv6/conf/{}/stable_secret", link.name);
  for (const auto& key : {own, std::string("net/ipv6/conf/default/stable_secret")}) {
    const auto& secret = view.sysctl(key);
    if (secret || secret.error().code != ErrorCode::kSystem) return std::nullopt;
  }
  return fmt::format(
      "link-local mode stable_privacy of '{}' needs a secret, and none is set: write one to {}, or "
      "ask for another mode",
      link.name, own);
}

}  // namespace

std::string_view name_of(config::LinkLocalMode mode) {
  switch (mode) {
    case config::LinkLocalMode::kEui64:
      return "eui64";
    case config::LinkLocalMode::kNone:
      return "none";
    case config::LinkLocalMode::kStablePrivacy:
      return "stable_privacy";
    case config::LinkLocalMode::kRandom:
      return "random";
  }
  return "unknown";
}

Desired<Link> Link::desired(const config::Node& node) {
  Desired<Link> desired;
  for (const auto& [name, link] : node.links) {
    if (!link.up && !link.link_local) continue;
    Stated<Link> value{{}, {.unused = link.role == config::LinkRole::kUnused}};
    if (link.up) value.up = link.up->value;
    if (link.link_local) value.link_local = link.link_local->value;
    const auto where = link.up ? link.up->where : link.link_local->where;
    desired.want({name}, std::move(value), {where, link.owner_host});
  }
  return desired;
}

Result<Observed<Link>> Link::observe(host::View& view, const Desired<Link>& wanted,
                                     const Context& context) {
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  const auto& node = context.node;
  Observed<Link> observed;
  observed.remember = originals(context, kName);
  for (const auto& [key, want] : wanted.state) {
    const auto* link = view.link(key.link);
    if (link == nullptr) {
      // An unused cage whose card is powered off is as down as it can be.
      if (!want.details.unused) {
        observed.skipped.emplace(key, waiting_for_link(key.link));
      } else {
        observed.state.emplace(key, want);
      }
      continue;
    }
    auto value = value_of(view, *link, want, node);
    if (!value) return std::unexpected(value.error());
    const bool without_ipv6 = !link->ipv6_addr_gen_mode || loses_ipv6(*link, node);
    if (want.link_local && want.link_local != config::LinkLocalMode::kNone && without_ipv6 &&
        !gets_ipv6(*link, node)) {
      observed.skipped.emplace(
          key,
          Skipped{Skipped::Why::kUnknown, "SR-LINK-002",
                  fmt::format("'{}' has no IPv6 (disabled, or an MTU below 1280), so it has no "
                              "link-local mode to set",
                              key.link)});
    } else if (const auto use = want.details.unused && link->up
                                    ? use_of_cage(view, node, node.links.at(key.link).rail->cage)
                                    : std::nullopt) {
      observed.skipped.emplace(key, Skipped{Skipped::Why::kNotEnforced, std::string(kCageInUse),
                                            *use + "; it is left as it is"});
    }
    if (auto why = no_secret(view, *link, want); why && !wanted.origins.at(key).compare_only) {
      observed.refusals.push_back({Refusal::Why::kImpossible, "SR-LINK-004", std::move(*why),
                                   wanted.origins.at(key).where});
    }
    if (!wanted.origins.at(key).compare_only && !node.released) {
      remember_original(observed.remember, *link, want);
    }
    observed.state.emplace(key, std::move(*value));
  }
  return observed;
}

std::vector<Change<Link>> Link::diff(const State<Link>& desired, const State<Link>& actual) {
  auto changes = difference<Link>(desired, actual);
  std::ranges::stable_partition(changes, [](const auto& change) { return !goes_down(change); });
  return changes;
}

Result<> Link::apply(const Change<Link>& change, host::Host& host) {
  const auto& link = change.key.link;
  const auto& before = *change.before;
  const auto& after = *change.after;
  if (after.link_local && after.link_local != before.link_local) {
    const auto mode = static_cast<std::uint8_t>(*after.link_local);
    if (auto set = set_link_local_mode(host, link, mode); !set) return set;
  }
  if (after.up != before.up) {
    if (auto set = host.netlink.set_up(link, *after.up); !set) return set;
  }
  if ((before.link_local != config::LinkLocalMode::kNone &&
       after.link_local == config::LinkLocalMode::kNone) ||
      after.details.is_found == true) {
    // Also what the kernel made when the link got IPv6, or its mode, a moment ago.
    if (auto removed = remove_kernel_made(host, link, after.kernel_made); !removed) return removed;
  }
  if (removes_kernel_made(change)) {
    for (const auto& address : before.kernel_made) {
      auto removed = host.netlink.remove_address(link, address.address);
      if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
    }
  }
  return add_again(host, link, after.kernel_made);
}

Effect Link::effect(const Change<Link>& change) {
  if (goes_down(change)) {
    return {
        .disturbs = Effect::Disturbs::kTraffic, .link = change.key.link, .link_goes_down = true};
  }
  Effect effect{.link = change.key.link,
                .link_comes_up = change.before->up == false && change.after->up == true};
  if (removes_kernel_made(change)) {
    effect.disturbs = Effect::Disturbs::kAddress;
    effect.ips = ips_of(change.before->kernel_made);
  }
  return effect;
}

std::string Link::label(const Value& value) {
  std::string text;
  if (value.up) text = *value.up ? "up" : "down";
  if (value.link_local) {
    text += fmt::format("{}link-local {}", text.empty() ? "" : ", ", name_of(*value.link_local));
  }
  for (const auto& address : value.kernel_made) {
    text += fmt::format(" with {}", address.address.text());
  }
  return text;
}

}  // namespace spark::kinds
