#pragma once
// check_wifi: power save of a Wi-Fi link over which this machine may be managed.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Nothing where no Wi-Fi link has a default route, where its power save is off, and where its
/// driver does not say.
Findings check_wifi(const Command& command);

}  // namespace spark::cli
