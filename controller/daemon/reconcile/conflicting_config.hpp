#pragma once
// ConflictingSetting: configuration of somebody else that contradicts ours, where a resource is
// changed again and again.

#include <optional>
#include <string>

#include "config/node.hpp"
#include "host/view.hpp"
#include "plan/step.hpp"

namespace spark::daemon {

struct ConflictingSetting {
  std::string what;    ///< "/etc/sysctl.d/99-vendor.conf:3 sets 212992"
  std::string remedy;  ///< what to do about it
};

/// The setting that contradicts what `node` wants of that resource. For an MTU or an address: the
/// NetworkManager profile or .network file in force on the link, and the netplan file behind it.
/// For a sysctl: the line that wins at boot. Empty: there is none, or it cannot be found.
std::optional<ConflictingSetting> find_conflict(host::View& view, const config::Node& node,
                                                const plan::ResourceKey& of);

}  // namespace spark::daemon
