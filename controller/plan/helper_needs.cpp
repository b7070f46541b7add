#include <algorithm>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "kinds/all.hpp"
#include "plan/make_step.hpp"
#include "plan/refusals.hpp"

namespace spark::plan {
namespace {

template <class K>
std::vector<host::Helper> helpers_of_kind(const Step& step) {
  if constexpr (requires(const kinds::Change<K>& change) { K::helpers(change); }) {
    const auto change = read_change<K>(step.record());
    return change ? K::helpers(*change) : std::vector<host::Helper>{};
  }
  return {};
}

template <class... Kinds>
std::vector<host::Helper> helpers_of(std::type_identity<std::tuple<Kinds...>> /*kinds*/,
                                     const Step& step) {
  std::vector<host::Helper> helpers;
  static_cast<void>(
      ((step.kind == Kinds::kName && (helpers = helpers_of_kind<Kinds>(step), true)) || ...));
  return helpers;
}

bool needs(const Step& step, host::Helper helper) {
  const auto helpers = helpers_of(std::type_identity<kinds::AllKinds>{}, step);
  return std::ranges::find(helpers, helper) != helpers.end();
}

}  // namespace

std::vector<kinds::Refusal> find_missing_helpers(const Plan& plan, const host::CheckHelper& check) {
  std::vector<kinds::Refusal> refusals;
  for (const auto helper : {host::Helper::kBusCall, host::Helper::kStorage}) {
    std::vector<const Step*> steps;
    for (const auto& step : plan.steps) {
      if (needs(step, helper)) steps.push_back(&step);
    }
    if (steps.empty()) continue;
    if (const auto starts = check(helper); !starts) {
      const auto others = steps.size() - 1;
      refusals.push_back(
          {kinds::Refusal::Why::kImpossible, std::string(kNoHelper),
           fmt::format("{}{} cannot be changed: {}", steps.front()->name(),
                       others == 0 ? std::string() : fmt::format(" and {} more", others),
                       starts.error().what),
           steps.front()->where});
    }
  }
  return refusals;
}

}  // namespace spark::plan
