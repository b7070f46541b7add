#pragma once
// Why a plan is not carried out.

#include <string_view>
#include <vector>

#include "host/process/helper_program.hpp"
#include "plan/plan.hpp"

namespace spark::plan {

/// Adds the reasons why a plan is not carried out, judged over all of its steps. Adds to the
/// plan's own refusals those for a cable's subnet that is the LAN's. Where there are none, adds
/// those of guard() (what must not be cut) and of find_diversions() (what would leave by another
/// device than its rail). Diversions are judged only for a plan of all kinds, since they take
/// longer than a correction has time for: the last such plan found nothing in the way.
void add_refusals(Plan& plan, const config::Node& node, host::View& view,
                  const kinds::Ledger& ledger);

/// Id of the refusal of a plan that cuts this machine off from those who administer it.
inline constexpr std::string_view kCutsOff = "SR-GUARD-001";

/// One refusal for each step that takes down, or strips of its address, what the default route, an
/// established ssh session or the file's management link depends on. Reads nothing when no step
/// takes anything away; other changes of such links are never refused. `ledger`: what was known as
/// ours when the plan was made.
std::vector<kinds::Refusal> guard(const Plan& plan, const config::Node& node, host::View& view,
                                  const kinds::Ledger& ledger);

/// Peers whose packets would not leave by the rail that leads to them. One refusal for each rail
/// with carrier whose peers' packets would leave by another device once the plan is carried out:
/// because of a routing rule that comes before the main table (VPN), or of a route with a prefix
/// at least as long as the rail's subnet (docker, LAN). Shorter prefixes lose against the rail's
/// own route and are fine. Asks the kernel once a peer.
std::vector<kinds::Refusal> find_diversions(const Plan& plan, const config::Node& node,
                                            host::View& view);

/// True: the address is somebody else's. The file does not set up the link, and no apply has put or
/// adopted the address there.
bool is_of_others(const config::Node& node, const kinds::Ledger& ledger, const host::LinkInfo& link,
                  const host::AddressInfo& address);

/// One refusal for each cable or switch whose subnet is in use on a link that the file does not
/// own, such as the LAN, and for each such link. Judges only addresses that the plan sets: an
/// address that is already there does no new harm.
std::vector<kinds::Refusal> find_subnet_clashes(const Plan& plan, const config::Node& node,
                                                host::View& view, const kinds::Ledger& ledger);

/// Id of the refusals of steps whose helper program does not start.
inline constexpr std::string_view kNoHelper = "SR-HELPER-001";

/// One refusal for each helper that a step needs and that `check` finds unable to start. Calls
/// `check` once for each helper that the steps need.
std::vector<kinds::Refusal> find_missing_helpers(const Plan& plan, const host::CheckHelper& check);

}  // namespace spark::plan
