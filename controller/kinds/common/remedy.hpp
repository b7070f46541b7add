#pragma once
// Remedy: what a person may be told to do to a link. Its command passes the guard of a plan, and no
// other text of this program holds one.

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

struct Remedy {
  enum class Kind : std::uint8_t {
    kLeaveMaster,    ///< its bridge or bond
    kRemoveAddress,  ///< `address`
    kIgnoreAdverts,  ///< router advertisements
  };
  Kind kind = Kind::kLeaveMaster;
  std::string link;
  std::string address = {};  ///< with its length
};

/// "`sudo ip link set LINK nomaster`". Errors: kInvalid, with the reason of `untouchable`.
Result<std::string> command_of(const Remedy& remedy, const config::Node* node, host::View& view);

}  // namespace spark::kinds
