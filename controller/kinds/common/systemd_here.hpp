#pragma once
// why_no_systemd: whether systemd can be asked to do something to this machine.

#include <optional>
#include <string>

#include "host/view.hpp"

namespace spark {

/// Empty: systemd runs here, and on the machine itself. Else a clause that says why it is no use:
/// there is none, or it is that of a container, which cannot change what belongs to the machine
/// (systemd marks both below /run/systemd: sd_booted(3), and the file `container`).
std::optional<std::string> why_no_systemd(View& view);

}  // namespace spark
