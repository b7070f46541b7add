#pragma once
// What explains a fact that does not hold, and closes nothing by itself. Hints are empty where
// nothing stands out. Only measurements close the gate, hints never do.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "host/view.hpp"

namespace spark::gate {

/// Another cage of the card of `link` that has a carrier, though the file does not name it: the
/// cable is there. Empty: none has.
std::optional<int> cage_with_cable(const config::Node& node, host::View& view,
                                   const std::string& link);

/// What to do about a rail without a device: the whole card is absent, or one function of it is.
/// Plugging in a cable brings the card back only where DGX OS has powered it off.
std::string remedy_of_absence(const config::Node& node, host::View& view);

/// A line for each of the above that is so on this node, for verbs that show it. Of the cages in
/// `told` another line says already that they have a carrier.
std::vector<std::string> cable_hints(const config::Node& node, host::View& view,
                                     const std::set<int>& told);

/// Of a loopback below its floor: "PCIe runs at 16.0 GT/s x2, the device could 32.0 GT/s x4".
std::string why_slow(host::View& view, const std::string& link);

/// Of a link that is up without a carrier: "its module is at 76 C".
std::string why_no_carrier(host::View& view, const std::string& link);

/// Of memory that cannot be registered though the limit would do: what to try.
std::string remedy_of_failed_registration(host::View& view);

}  // namespace spark::gate
