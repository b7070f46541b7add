#pragma once
// Whether systemd can be asked to do something to this machine, and what it starts at boot.

#include <optional>
#include <set>
#include <string>

#include "host/view.hpp"

namespace spark::kinds {

/// Empty: systemd runs here, and it is the machine's own. Else a clause that says why it cannot be
/// asked: there is none, or it is a container's, which cannot change the machine (systemd marks
/// both below /run/systemd: sd_booted(3), and the file `container`).
std::optional<std::string> why_no_systemd(host::View& view);

/// Units that others want, by the links that `systemctl enable` makes.
std::set<std::string> enabled_units(host::View& view);

}  // namespace spark::kinds
