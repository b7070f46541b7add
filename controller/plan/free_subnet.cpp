#include "plan/free_subnet.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace spark::plan {
namespace {

/// Where the search starts; it counts up the third number of the address.
constexpr std::array<const char*, 3> kFirstSubnets{"192.168.177.0", "10.177.177.0", "172.31.177.0"};
constexpr std::uint8_t kLastThird = 254;
constexpr std::uint8_t kSubnetLength = 24;

/// In the order in which they are tried.
std::vector<IpPrefix> tried_subnets() {
  std::vector<IpPrefix> subnets;
  for (const auto* first : kFirstSubnets) {
    std::array<std::uint8_t, 4> bytes{};
    std::ranges::copy(IpAddress::parse(first)->bytes(), bytes.begin());
    for (; bytes[2] <= kLastThird; ++bytes[2]) {
      subnets.push_back({*IpAddress::from_bytes(bytes), kSubnetLength});
    }
  }
  return subnets;
}

}  // namespace

std::vector<IpPrefix> subnets_in_use(host::View& view) {
  std::vector<IpPrefix> used;
  if (const auto& addresses = view.addresses()) {
    for (const auto& address : *addresses) used.push_back(address.address.network());
  }
  if (const auto& routes = view.routes()) {
    for (const auto& route : *routes) {
      if (route.destination.prefix_len != 0) used.push_back(route.destination);
    }
  }
  return used;
}

std::optional<IpPrefix> free_subnet(const std::vector<IpPrefix>& taken) {
  for (const auto& subnet : tried_subnets()) {
    if (std::ranges::none_of(taken,
                             [&](const IpPrefix& other) { return other.overlaps(subnet); })) {
      return subnet;
    }
  }
  return std::nullopt;
}

std::vector<IpPrefix> subnets_to_avoid(const std::vector<IpPrefix>& used) {
  const auto tried = tried_subnets();
  std::vector<IpPrefix> found;
  for (const auto& prefix : used) {
    if (std::ranges::any_of(tried,
                            [&](const IpPrefix& subnet) { return subnet.overlaps(prefix); })) {
      found.push_back(prefix.network());
    }
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

}  // namespace spark::plan
