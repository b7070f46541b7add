#pragma once
// A link that is a port of a bridge or bond: the kernel hands every packet to the bridge or bond.

#include <optional>
#include <string>

#include "config/node.hpp"
#include "host/view.hpp"

namespace spark::kinds {

struct PortOf {
  std::string what;    ///< "a port of the bridge 'br0', which takes its packets"
  std::string remedy;  ///< how to take it out
};

/// Empty: the link is no such port. `node`: null where there is no file.
std::optional<PortOf> port_of(host::View& view, const host::LinkInfo& link,
                              const config::Node* node);

}  // namespace spark::kinds
