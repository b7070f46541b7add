#pragma once
// find_subnet_clashes: rails whose subnet is in use on a link that the file does not own, such as
// the LAN.

#include <vector>

#include "plan/plan.hpp"

namespace spark::plan {

/// True: the address is somebody else's. The file does not set up the link, and no apply has put or
/// adopted the address there.
bool is_of_others(const config::Node& node, const kinds::Ledger& ledger, const host::LinkInfo& link,
                  const host::AddressInfo& address);

/// One refusal for each cable or switch and each link in its way. Judges only addresses that the
/// plan sets: an address that is already there does no new harm.
std::vector<kinds::Refusal> find_subnet_clashes(const Plan& plan, const config::Node& node,
                                                host::View& view, const kinds::Ledger& ledger);

}  // namespace spark::plan
