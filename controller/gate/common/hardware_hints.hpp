#pragma once
// What this machine's hardware tells about a fact that does not hold: a slow loopback, a lost
// carrier, memory that cannot be registered. Hints are empty where nothing stands out. Only
// measurements close the gate, hints never do.

#include <string>

#include "host/view.hpp"

namespace spark::gate {

/// Of a loopback below its floor: "PCIe runs at 16.0 GT/s x2, the device could 32.0 GT/s x4".
std::string why_slow(host::View& view, const std::string& link);

/// Of a link that is up without a carrier: "its module is at 76 C".
std::string why_no_carrier(host::View& view, const std::string& link);

/// Of memory that cannot be registered though the limit would do: what to try.
std::string remedy_of_failed_registration(host::View& view);

}  // namespace spark::gate
