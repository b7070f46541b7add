#pragma once
// Connectivity: what was alive before an apply and has to be alive after it, whatever its own steps
// say: the carrier of each link that it touches, the addresses that ssh sessions are connected to,
// and a route to whoever is logged in.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ip.hpp"
#include "plan/plan.hpp"

namespace spark {

/// Link, and an address on it.
using HeldAddress = std::pair<std::string, IpAddress>;

/// What tells one route from another: destination, table, link by index, gateway.
using KnownRoute = std::tuple<IpPrefix, std::uint32_t, int, std::optional<IpAddress>>;

struct Connectivity {
  /// Links with carrier that the plan touches and does not take down.
  std::vector<std::string> carriers;
  /// Those of links with carrier that the plan does not take away. Only when one is gone it is
  /// asked whether an ssh session is connected to it: the kernel walks a table of half a million
  /// sockets.
  std::set<HeldAddress> addresses;
  /// All to others than link-local addresses. Likewise: who is logged in is asked only when one of
  /// them is gone.
  std::set<KnownRoute> routes;
};

/// `cuts_off`: the plan may take sessions away, since somebody has to confirm it.
Connectivity record_connectivity(const Plan& plan, View& before, bool cuts_off);

/// What is no longer alive, each with its reason; a carrier blinks for a moment when an MTU
/// changes.
std::vector<std::string> lost_connectivity(const Connectivity& connectivity, View& after);

}  // namespace spark
