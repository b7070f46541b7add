#include "plan/wanted.hpp"

#include <tuple>

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

}  // namespace

std::vector<WantedResource> wanted_resources(const config::Node& node, host::View& view,
                                             const kinds::Ledger& ledger) {
  return wanted_of(std::type_identity<kinds::AllKinds>{}, node, view, ledger);
}

std::vector<std::string_view> kind_names() {
  return names_of_kinds(std::type_identity<kinds::AllKinds>{});
}

}  // namespace spark::plan
