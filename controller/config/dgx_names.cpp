#include "config/dgx_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spark::config {
namespace {

constexpr std::array<std::pair<std::string_view, Rail>, 4> kNames{{
    {"enp1s0f0np0", {0, 0}},
    {"enP2p1s0f0np0", {0, 1}},
    {"enp1s0f1np1", {1, 0}},
    {"enP2p1s0f1np1", {1, 1}},
}};

}  // namespace

std::optional<Rail> rail_of_dgx_name(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, [](const auto& entry) { return entry.first; });
  if (found == kNames.end()) return std::nullopt;
  return found->second;
}

std::string dgx_name(Rail rail) {
  const auto found =
      std::ranges::find(kNames, rail, [](const auto& entry) { return entry.second; });
  return found == kNames.end() ? std::string{} : std::string(found->first);
}

}  // namespace spark::config
