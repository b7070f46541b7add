#pragma once
// find_subnet_clashes: rails whose subnet is in use on a link that the file does not own, such as
// the LAN.

#include <vector>

#include "plan/plan.hpp"

namespace spark {

/// True: the address is somebody else's. The file does not set up the link, and no apply has put or
/// adopted the address there.
bool is_of_others(const Node& node, const Ledger& ledger, const LinkInfo& link,
                  const AddressInfo& address);

/// One refusal for each cable or switch and each link in its way. Judges only addresses that the
/// plan sets: an address that is already there does no new harm.
std::vector<Refusal> find_subnet_clashes(const Plan& plan, const Node& node, View& view,
                                         const Ledger& ledger);

}  // namespace spark
