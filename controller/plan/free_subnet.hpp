#pragma once
// free_subnet: a subnet for a rail that clashes with nothing on this machine.

#include <optional>
#include <vector>

#include "base/ip.hpp"
#include "host/view.hpp"

namespace spark::plan {

/// The networks of all addresses and routes of this machine, but default routes. What cannot be
/// read is left out.
std::vector<IpPrefix> subnets_in_use(host::View& view);

/// A private /24 that overlaps none of `taken`. Empty: none of those that are tried is free.
std::optional<IpPrefix> free_subnet(const std::vector<IpPrefix>& taken);

/// Those of `used` that keep free_subnet from something, each once: what another machine has to
/// know to choose a subnet that is free here too.
std::vector<IpPrefix> subnets_to_avoid(const std::vector<IpPrefix>& used);

}  // namespace spark::plan
