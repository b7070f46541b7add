#pragma once
// find_subnet_clashes: rails whose subnet is in use on a link that the file does not own, such as
// the LAN.

#include <vector>

#include "plan/plan.hpp"

namespace spark {

/// The address is somebody else's: the file does not set up the link, and no apply has put or
/// adopted the address there.
bool is_of_others(const Node& node, View& view, const LinkInfo& link, const AddressInfo& address);

/// One objection for each cable or switch and each link in its way. Only addresses that the plan
/// sets are judged: what stands already does whatever harm it does.
std::vector<Refusal> find_subnet_clashes(const Plan& plan, const Node& node, View& view);

}  // namespace spark
