#pragma once
// Connectivity: what worked before an apply and must work after it, whatever the steps report: the
// carrier of each link that the plan touches, the addresses that ssh sessions are connected to, and
// a route to each ssh client.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ip.hpp"
#include "plan/plan.hpp"

namespace spark::apply {

/// Link, and an address on it.
using HeldAddress = std::pair<std::string, IpAddress>;

/// Identifies a route: destination, table, index of the link, gateway.
using KnownRoute = std::tuple<IpPrefix, std::uint32_t, int, std::optional<IpAddress>>;

struct Connectivity {
  /// Links with carrier that the plan touches and does not take down.
  std::vector<std::string> carriers;
  /// Addresses of links with carrier that the plan does not remove. Only when one of them is gone
  /// are ssh sessions read: for that the kernel walks a table of half a million sockets.
  std::set<HeldAddress> addresses;
  /// All routes but those to link-local and multicast addresses. Again, ssh sessions are read only
  /// when one of them is gone.
  std::set<KnownRoute> routes;
};

/// `cuts_off`: the plan may end ssh sessions, because somebody has to confirm it.
Connectivity record_connectivity(const plan::Plan& plan, host::View& before, bool cuts_off);

/// What no longer works, each with its reason. A carrier also goes away for a moment while an MTU
/// changes.
std::vector<std::string> lost_connectivity(const Connectivity& connectivity, host::View& after);

/// Checks again at each event until nothing is lost, for at most 5 s. Returns what is lost then.
std::vector<std::string> await_connectivity(host::Host& host, const Connectivity& connectivity);

}  // namespace spark::apply
