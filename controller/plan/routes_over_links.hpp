#pragma once
// What others built on links that this program sets: routes, rules of policy routing, and the links
// that stand on them. It sets none of these itself.

#include <set>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"
#include "plan/step.hpp"

namespace spark::plan {

/// From an address, a redirect or a router's advertisement, and by no program.
bool is_made_by_kernel(const host::RouteInfo& route);

/// The step that changes or removes a route of ours; null: none does, or it is not ours.
const Step* step_of(const std::vector<Step>& steps, const host::RouteInfo& route, host::View& view);

/// "10.0.0.0/8 via 192.0.2.1 dev enp1s0f0np0".
std::string route_text(host::View& view, const host::RouteInfo& route);

/// What is built on these links: "route 10.0.0.0/8 via …", "rule 100: from … lookup 7", "link
/// enp1s0f0np0.100 (vlan)". Not what the kernel makes of an address by itself, or of a router's
/// advertisement. Empty where nothing can be read.
std::vector<std::string> built_on(const std::set<std::string>& links, host::View& view);

/// The same, as what a plan leaves unchanged.
std::vector<kinds::LeftUnchanged> left_on_links(const config::Node& node, host::View& view);

/// Notes in `Effect::routes` of each step which routes lead nowhere after it. Reads
/// routes only where a step takes an address away or a link down.
void note_routes_cut(std::vector<Step>& steps, const config::Node& node, host::View& view);

}  // namespace spark::plan
