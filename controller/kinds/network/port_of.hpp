#pragma once
// A link that is a port of a bridge or bond: the kernel hands every packet to the bridge or bond.

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "config/node.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

struct PortOf {
  std::string what;    ///< "a port of the bridge 'br0', which takes its packets"
  std::string remedy;  ///< how to take it out
};

/// Empty: the link is no such port. `node`: null where there is no file.
std::optional<PortOf> port_of(host::View& view, const host::LinkInfo& link,
                              const config::Node* node);

// The RDMA port of a link, and why there is none or it cannot be read.

/// Where RDMA of a link is: either both pointers are set, into the view, or `why_not` is.
struct RdmaOfLink {
  const host::LinkInfo* link = nullptr;
  const host::RdmaPort* port = nullptr;
  std::optional<Skipped> why_not;
};

RdmaOfLink rdma_of_link(host::View& view, const std::string& link);

/// What cannot be found waits, because its device or module is about to come or has just gone
/// (SR-ROCE-003); any other error makes it unknown.
Skipped waits_or_unreadable(const Error& error);

// A cage that the file does not name, and that is in use all the same.

/// `unused_cages: down` leaves such a cage as it is.
inline constexpr std::string_view kCageInUse = "SR-LINK-003";

/// What to say of one that has a carrier.
inline std::string unnamed_cage_text(const config::Node& node, int cage) {
  return fmt::format(
      "cage {0} has a carrier and is not in the file: move the plug, or write {1}:{0} in `ends`",
      cage, node.name);
}

}  // namespace spark::kinds
