#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "kinds/common/lifelines.hpp"
#include "plan/refusals.hpp"

namespace spark::plan {
namespace {

using kinds::Lifeline;

/// A connection that the plan itself gives up, before anything else.
bool is_given_up(const Plan& plan, const Lifeline& lifeline) {
  return std::ranges::any_of(plan.steps, [&](const Step& step) {
    return step.kind == "nvme" && step.effect.frees_others && step.key == lifeline.target;
  });
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
  if (lifeline.address) return *lifeline.address == ip;
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

/// The first that the step would end; null: none.
const Lifeline* cut_by(const Step& step, const std::vector<Lifeline>& lifelines, host::View& view) {
  if (step.effect.link_goes_down || step.effect.changes_manager) {
    return kinds::carried_by(step.effect.link, lifelines, view);
  }
  const auto found = std::ranges::find_if(
      lifelines, [&](const Lifeline& lifeline) { return strips(view, step.effect, lifeline); });
  return found == lifelines.end() ? nullptr : &*found;
}

bool takes_away(const Step& step) {
  const auto& effect = step.effect;
  return effect.link_goes_down || effect.changes_manager || effect.ends_ipv6 || !effect.ips.empty();
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
  if (!lifeline.target.empty()) {
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
  if (std::ranges::none_of(plan.steps, takes_away)) return refusals;
  auto lifelines = kinds::find_lifelines(&node, view);
  if (!lifelines) {
    refusals.push_back({kinds::Refusal::Why::kRefused,
                        "SR-GUARD-002",
                        fmt::format("could not find out what this machine is reached through: {}",
                                    lifelines.error().what),
                        {}});
    return refusals;
  }
  std::erase_if(*lifelines, [&](const Lifeline& line) { return is_given_up(plan, line); });
  for (const auto& step : plan.steps) {
    const auto* cut = cut_by(step, *lifelines, view);
    if (cut != nullptr && takes_away(step)) {
      refusals.push_back(refusal_for(step, *cut, node, view, ledger));
    }
  }
  return refusals;
}

}  // namespace spark::plan
