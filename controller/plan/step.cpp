#include "plan/step.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include <fmt/format.h>

namespace spark::plan {

std::string Step::name() const { return fmt::format("{} {}", kind, key); }

namespace {

/// Every step before a link goes down can be rolled back without a trace. The kernel takes IPv6
/// addresses from a link that goes down: so steps add them after that, and remove them before a
/// link comes up, and a rollback, which goes the other way, keeps them too.
void links_down_last(std::vector<Step>& steps) {
  std::set<std::string> going_down;
  std::set<std::string> coming_up;
  for (const auto& step : steps) {
    if (step.effect.link_goes_down) going_down.insert(step.effect.link);
    if (step.effect.link_comes_up) coming_up.insert(step.effect.link);
  }
  // A manager acts on a link as soon as it has it, by the files that it finds.
  enum Rank : std::uint8_t { kBeforeUp, kAnywhere, kGoesDown, kAfterDown, kHandsBack, kHandsOver };
  std::ranges::stable_sort(steps, {}, [&](const Step& step) {
    const auto& effect = step.effect;
    if (effect.hands_back) return effect.changes_manager ? kHandsOver : kHandsBack;
    if (effect.link_goes_down) return kGoesDown;
    if (!effect.is_of_ipv6_address) return kAnywhere;
    if (step.after && going_down.contains(effect.link)) return kAfterDown;
    return !step.after && coming_up.contains(effect.link) ? kBeforeUp : kAnywhere;
  });
}

}  // namespace

void put_in_order(std::vector<Step>& steps) {
  // What lives on others goes before them, the last kind first: a mount, its connection, its
  // address.
  const auto rest = std::ranges::stable_partition(
      steps, [](const Step& step) { return step.effect.frees_others; });
  std::ranges::reverse(steps.begin(), rest.begin());
  links_down_last(steps);
}

}  // namespace spark::plan
