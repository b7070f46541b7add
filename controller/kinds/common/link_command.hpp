#pragma once
// link_command: the commands that change a link, for a person to type. They pass the guard of a
// plan, and no other text of this program holds one.

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "config/node.hpp"
#include "host/view.hpp"

namespace spark::kinds {

/// Why nobody may be told to change the link: the file leaves it to the host, this machine is
/// reached through it, or that cannot be found out. Empty: it may be changed. `node`: null where
/// there is no file.
std::optional<std::string> untouchable(const std::string& link, const config::Node* node,
                                       host::View& view);

enum class LinkCommand : std::uint8_t {
  kLeaveMaster,    ///< of its bridge or bond
  kRemoveAddress,  ///< `argument`: with its length
  kIgnoreAdverts,  ///< router advertisements
};

/// "`sudo ip link set LINK nomaster`". Errors: kInvalid, with the reason of `untouchable`.
Result<std::string> link_command(LinkCommand command, const std::string& link,
                                 const std::string& argument, const config::Node* node,
                                 host::View& view);

}  // namespace spark::kinds
