#include "plan/wanted.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "kinds/all.hpp"

namespace spark::plan {
namespace {

template <class K>
void add_wanted(std::vector<WantedResource>& all, const config::Node& node, host::View& view,
                const kinds::Ledger& ledger) {
  auto wanted = K::desired(node);
  if constexpr (requires { K::complete(wanted, view, kinds::Context{node, ledger}); }) {
    K::complete(wanted, view, {node, ledger});
  }
  for (const auto& [key, value] : wanted.state) {
    const auto origin = wanted.origins.find(key);
    const auto asked = origin == wanted.origins.end() ? kinds::Origin{} : origin->second;
    all.push_back({.kind = K::kName,
                   .key = K::label(key),
                   .value = K::label(value),
                   .where = asked.where,
                   .compare_only = asked.compare_only});
  }
}

template <class... Kinds>
std::vector<WantedResource> wanted_of(std::type_identity<std::tuple<Kinds...>> /*kinds*/,
                                      const config::Node& node, host::View& view,
                                      const kinds::Ledger& ledger) {
  std::vector<WantedResource> all;
  (add_wanted<Kinds>(all, node, view, ledger), ...);
  return all;
}

template <class... Kinds>
std::vector<std::string_view> names_of_kinds(std::type_identity<std::tuple<Kinds...>> /*kinds*/) {
  return {Kinds::kName...};
}

std::string_view state_of_route(const Plan& plan, const std::string& key) {
  const auto is_it = [&](const auto& item) {
    return item.kind == kinds::Route::kName && item.key == key;
  };
  const auto skipped = std::ranges::find_if(plan.skipped, is_it);
  if (skipped != plan.skipped.end()) return kinds::name_of(skipped->skipped.why);
  return std::ranges::any_of(plan.steps, is_it) ? "differs" : "in_sync";
}

}  // namespace

std::vector<WantedResource> wanted_resources(const config::Node& node, host::View& view,
                                             const kinds::Ledger& ledger) {
  return wanted_of(std::type_identity<kinds::AllKinds>{}, node, view, ledger);
}

std::vector<RouteState> route_states(const config::Node& node, const Plan& plan) {
  std::vector<RouteState> routes;
  for (const auto& [key, value] : kinds::Route::desired(node).state) {
    const auto label = kinds::Route::label(key);
    routes.push_back({.link = key.link,
                      .text = fmt::format("{} {}", label.substr(key.link.size() + 1),
                                          kinds::Route::label(value)),
                      .state = std::string(state_of_route(plan, label))});
  }
  return routes;
}

std::vector<std::string_view> kind_names() {
  return names_of_kinds(std::type_identity<kinds::AllKinds>{});
}

}  // namespace spark::plan
