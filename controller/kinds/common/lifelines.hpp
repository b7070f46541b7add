#pragma once
// Lifelines: the links through which this machine is reached, and its volumes. No step and no
// command that is printed may cut one.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "config/node.hpp"
#include "host/view.hpp"

namespace spark::kinds {

// with_lower_devices: what a link stands on.

/// `link` and everything it stands on: a VLAN is gone when its device is down.
std::set<std::string> with_lower_devices(host::View& view, const std::string& link);

struct Lifeline {
  std::string link;
  std::string why;                   ///< "the default route leaves by it"
  std::optional<IpAddress> address;  ///< only this one matters
  std::optional<IpAddress> gateway;  ///< only addresses whose subnet holds it matter
  std::optional<IpFamily> family;    ///< only that one matters
  /// "NQN ADDRESS PORT" of the target whose volumes are in use; empty: people come in by the link.
  std::string target;
};

/// Of the default routes those that the kernel takes: of each family and table the ones with the
/// lowest metric. Errors: those of the view.
Result<std::vector<host::RouteInfo>> default_routes_in_use(host::View& view);

/// The management link of the file, and each link that a default route in use leaves by. `node`:
/// null where there is no file.
Result<std::vector<Lifeline>> ways_in(const config::Node* node, host::View& view);

/// The same, and what established ssh sessions and volumes in use depend on.
Result<std::vector<Lifeline>> find_lifelines(const config::Node* node, host::View& view);

/// The lifeline that ends when the link goes down; null: none.
const Lifeline* carried_by(const std::string& link, const std::vector<Lifeline>& lifelines,
                           host::View& view);

}  // namespace spark::kinds
