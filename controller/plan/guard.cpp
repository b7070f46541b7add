#include "plan/guard.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "plan/lower_devices.hpp"
#include "plan/subnet_clash.hpp"

namespace spark::plan {
namespace {

constexpr std::uint8_t kUnicastRoute = 1;  // RTN_UNICAST, linux/rtnetlink.h

/// The ways in which this machine is reached, as far as one link carries them.
struct Lifeline {
  std::string link;
  std::string why;                   ///< "the default route leaves by it"
  std::optional<IpAddress> address;  ///< only this one matters
  std::optional<IpAddress> gateway;  ///< only addresses whose subnet holds it matter
  std::optional<IpFamily> family;    ///< only that one matters
  bool storage = false;              ///< the volumes of a target are reached through it
};

Result<std::vector<Lifeline>> find_network_lifelines(const config::Node& node, host::View& view) {
  std::vector<Lifeline> lifelines;
  if (node.management) {
    lifelines.push_back(
        {.link = node.management->value, .why = "the file names it as the management link"});
  }
  const auto& routes = view.routes();
  if (!routes) return std::unexpected(routes.error());
  for (const auto& route : *routes) {
    const auto* link = view.link(route.link_index);
    if (route.destination.prefix_len == 0 && route.type == kUnicastRoute && link != nullptr) {
      // A route that names its source address lives on that one.
      lifelines.push_back({link->name, "the default route leaves by it", route.source,
                           route.source ? std::nullopt : route.gateway,
                           route.destination.ip.family()});
    }
  }
  const auto& sessions = view.ssh_addresses();
  if (!sessions) return std::unexpected(sessions.error());
  const auto& addresses = view.addresses();
  if (!addresses) return std::unexpected(addresses.error());
  for (const auto& local : *sessions) {
    const auto held = std::ranges::find(
        *addresses, local, [](const host::AddressInfo& info) { return info.address.ip; });
    if (const auto* link = held == addresses->end() ? nullptr : view.link(held->link_index)) {
      lifelines.push_back(
          {link->name, "an ssh session is connected through it", local, {}, local.family()});
    }
  }
  return lifelines;
}

/// What is mounted of the target, or stands on it; empty: nothing.
std::string use_of(host::View& view, const host::NvmeWorld& world, const std::string& nqn) {
  const auto& mounts = view.mounts();
  for (const auto& space : world.namespaces) {
    if (space.nqn != nqn) {
      continue;
    }
    if (!space.holders.empty()) {
      return space.holders.front();
    }
    const auto mount = mounts ? std::ranges::find(*mounts, space.device, &host::MountInfo::device)
                              : std::vector<host::MountInfo>::const_iterator{};
    if (mounts && mount != mounts->end()) {
      return mount->path;
    }
  }
  return {};
}

/// A connection that the plan itself gives up, before anything else.
bool is_given_up(const Plan& plan, const host::NvmeController& controller) {
  const auto key = fmt::format("{} {} {}", controller.nqn, controller.address, controller.port);
  return std::ranges::any_of(plan.steps, [&](const Step& step) {
    return step.kind == "nvme" && step.effect.frees_others && step.key == key;
  });
}

/// The links through which the volumes in use are reached. A writer whose target is out of reach
/// waits forever, and so does the shutdown.
Result<> add_storage(const Plan& plan, host::View& view, std::vector<Lifeline>& lifelines) {
  const auto& world = view.nvme();
  if (!world) {
    // Facts of an earlier version do not tell.
    return world.error().code == ErrorCode::kUnsupported ? Result<>{}
                                                         : std::unexpected(world.error());
  }
  for (const auto& controller : world->controllers) {
    const auto use = use_of(view, *world, controller.nqn);
    const auto target = IpAddress::parse(controller.address);
    if (use.empty() || !target || is_given_up(plan, controller)) {
      continue;
    }
    const auto source = IpAddress::parse(controller.source);
    const auto& route = view.route_to(*target);
    const auto* link = route ? view.link(route->link_index) : nullptr;
    if (!controller.via.empty()) {
      link = view.link(controller.via);
    }
    if (link != nullptr) {
      lifelines.push_back({.link = link->name,
                           .why = fmt::format("'{}' is in use, and its target {} is reached over "
                                              "it",
                                              use, controller.address),
                           .address = source,
                           .family = target->family(),
                           .storage = true});
    }
  }
  return {};
}

/// The prefix length with which `ip` stands on `link`, as a prefix.
std::optional<IpPrefix> prefix_of(host::View& view, const std::string& link, const IpAddress& ip) {
  const auto& addresses = view.addresses();
  if (!addresses) return std::nullopt;
  for (const auto& address : *addresses) {
    const auto* holder = view.link(address.link_index);
    if (holder != nullptr && holder->name == link && address.address.ip == ip) {
      return address.address;
    }
  }
  return std::nullopt;
}

/// The loss of `ip` on the lifeline's link ends the lifeline.
bool lives_on(host::View& view, const Lifeline& lifeline, const IpAddress& ip) {
  if (lifeline.address) {
    return *lifeline.address == ip;
  }
  if (lifeline.gateway) {
    const auto prefix = prefix_of(view, lifeline.link, ip);
    return prefix && prefix->contains(*lifeline.gateway);
  }
  return true;
}

bool strips(host::View& view, const kinds::Effect& effect, const Lifeline& lifeline) {
  const bool here = effect.link == lifeline.link;
  if (effect.ends_ipv6 && (here || effect.link.empty()) && lifeline.family != IpFamily::kV4) {
    return true;
  }
  return here && std::ranges::any_of(
                     effect.ips, [&](const IpAddress& ip) { return lives_on(view, lifeline, ip); });
}

bool takes_away(const Step& step) {
  const auto& effect = step.effect;
  return effect.link_goes_down || effect.changes_manager || effect.ends_ipv6 || !effect.ips.empty();
}

Result<std::vector<Lifeline>> find_lifelines(const Plan& plan, const config::Node& node,
                                             host::View& view) {
  auto lifelines = find_network_lifelines(node, view);
  if (!lifelines) return lifelines;
  if (auto added = add_storage(plan, view, *lifelines); !added) {
    return std::unexpected(added.error());
  }
  return lifelines;
}

bool is_wanted_elsewhere(const config::Node& node, const std::string& link, const IpAddress& ip) {
  return std::ranges::any_of(node.links, [&](const auto& entry) {
    const auto& [name, wanted] = entry;
    const auto same = [&](const config::At<IpPrefix>& address) { return address.value.ip == ip; };
    return name != link && !wanted.owner_host && std::ranges::any_of(wanted.addresses, same);
  });
}

/// The address that the step takes off a link of somebody else, to put it on one of the file's.
std::optional<IpAddress> taken_from_others(const Step& step, const config::Node& node,
                                           host::View& view, const kinds::Ledger& ledger) {
  const auto* link = view.link(step.effect.link);
  if (link == nullptr) return std::nullopt;
  const auto taken = std::ranges::find_if(step.effect.ips, [&](const IpAddress& ip) {
    const auto* address = view.address(*link, ip);
    return address != nullptr && is_wanted_elsewhere(node, link->name, ip) &&
           is_of_others(node, ledger, *link, *address);
  });
  return taken == step.effect.ips.end() ? std::nullopt : std::optional(*taken);
}

kinds::Refusal refusal_for(const Step& step, const Lifeline& lifeline, const config::Node& node,
                           host::View& view, const kinds::Ledger& ledger) {
  if (lifeline.storage) {
    return {kinds::Refusal::Why::kRefused, "SR-GUARD-003",
            fmt::format("changing {} would leave storage without its target: {}. End what uses it "
                        "and unmount it, or take it out of the file with the same change",
                        step.name(), lifeline.why),
            step.where};
  }
  if (const auto ip = taken_from_others(step, node, view, ledger)) {
    // To confirm that in time would not make it right.
    return {
        kinds::Refusal::Why::kRefused, "SR-GUARD-004",
        fmt::format("{} is an address of '{}', which the file does not set up, and {}: the file "
                    "gives it to another link. Give that link another address",
                    ip->text(), step.effect.link, lifeline.why),
        step.where};
  }
  return {
      kinds::Refusal::Why::kRefused, std::string(kCutsOff),
      fmt::format("changing {} would cut this machine off: {}. `spark-reconcile apply --confirm "
                  "60s` makes it, and rolls it back unless you confirm; or change the file",
                  step.name(), lifeline.why),
      step.where};
}

}  // namespace

std::vector<kinds::Refusal> guard(const Plan& plan, const config::Node& node, host::View& view,
                                  const kinds::Ledger& ledger) {
  std::vector<kinds::Refusal> refusals;
  if (std::ranges::none_of(plan.steps, takes_away)) {
    return refusals;
  }
  const auto lifelines = find_lifelines(plan, node, view);
  if (!lifelines) {
    refusals.push_back({kinds::Refusal::Why::kRefused,
                        "SR-GUARD-002",
                        fmt::format("could not find out what this machine is reached through: {}",
                                    lifelines.error().what),
                        {}});
    return refusals;
  }
  for (const auto& step : plan.steps) {
    const auto cut = std::ranges::find_if(*lifelines, [&](const Lifeline& lifeline) {
      return step.effect.link_goes_down || step.effect.changes_manager
                 ? with_lower_devices(view, lifeline.link).contains(step.effect.link)
                 : strips(view, step.effect, lifeline);
    });
    if (cut != lifelines->end() && takes_away(step)) {
      refusals.push_back(refusal_for(step, *cut, node, view, ledger));
    }
  }
  return refusals;
}

}  // namespace spark::plan
