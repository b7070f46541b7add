#pragma once
// machine_of: by what a peer can tell that another machine has a node's place.

#include <string>
#include <string_view>

namespace spark::helpers {

/// As sd_id128_get_machine_app_specific(3) makes it: 32 hexadecimal digits that follow from
/// `machine_id`, the text of /etc/machine-id, and do not show it. Empty: that text is no machine
/// id, as in an image before its first boot.
std::string machine_of(std::string_view machine_id);

}  // namespace spark::helpers
