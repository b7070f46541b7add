#pragma once
// Rivals: the configuration that says otherwise than ours, where a resource is changed again and
// again.

#include <optional>
#include <string>
#include <string_view>

#include "config/node.hpp"
#include "host/view.hpp"

namespace spark {

struct ConflictingSetting {
  std::string what;    ///< "/etc/sysctl.d/99-vendor.conf:3 sets 212992"
  std::string remedy;  ///< what to do about it
};

/// The file that says otherwise of that resource, of what the file `node` is of wants: of an MTU or
/// an address, the NetworkManager profile or .network file in force on the link, and the netplan
/// file behind it; of a sysctl, the line that wins at boot. Empty: none does, or none can be told.
std::optional<ConflictingSetting> find_rival(View& view, const Node& node, std::string_view kind,
                                             const std::string& key);

}  // namespace spark
