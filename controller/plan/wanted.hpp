#pragma once
// wanted_resources: what the file asks of this node, resource by resource, as a plan compares it.

#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "config/node.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"
#include "plan/plan.hpp"

namespace spark::plan {

struct WantedResource {
  std::string_view kind;
  std::string key;
  std::string value;
  config::Where where;        ///< the line that asks for it
  bool compare_only = false;  ///< `owner: host`: a difference is reported and never corrected
};

/// In the order of the kinds, then of the keys. Reads only.
std::vector<WantedResource> wanted_resources(const config::Node& node, host::View& view,
                                             const kinds::Ledger& ledger);

/// A route that the file asks for, and how it stands.
struct RouteState {
  std::string link;
  std::string text;   ///< "10.77.0.0/16 via 192.0.2.12"
  std::string state;  ///< by the plan: "in_sync", "differs", or why it is skipped
  bool operator==(const RouteState&) const = default;
};

template <EitherConst<RouteState> T, class Visit>
void each_field(T& route, Visit visit) {
  visit("link", route.link);
  visit("text", route.text);
  visit("state", route.state);
}

/// By link, then by destination.
std::vector<RouteState> route_states(const config::Node& node, const Plan& plan);

/// The names of all kinds.
std::vector<std::string_view> kind_names();

}  // namespace spark::plan
