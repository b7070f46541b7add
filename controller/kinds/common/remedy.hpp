#pragma once
// Remedy: what a person may be told to do to links. It passes the guard of a plan before it becomes
// text, and no other text of this program has such a command (tests/lint).

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/node.hpp"
#include "host/view.hpp"

namespace spark::kinds {

/// Why nobody may be told to change the link: the file leaves it to the host, this machine is
/// reached through it, or that cannot be found out. Empty: it may be changed. `node`: null where
/// there is no file.
std::optional<std::string> untouchable(const std::string& link, const config::Node* node,
                                       host::View& view);

/// What to do about a card that is absent: a cable brings it back only where DGX OS powers it off
/// without one.
std::string remedy_of_absent_card(host::View& view);

struct Remedy {
  enum class Kind : std::uint8_t {
    kLeaveMaster,    ///< its bridge or bond
    kRemoveAddress,  ///< `address`
    kIgnoreAdverts,  ///< router advertisements
    kDisableUnit,    ///< `unit`, which sets up these links and does nothing else
    kTakeLinesOut,   ///< `lines` of `path`, which set up these links
  };
  Kind kind = Kind::kLeaveMaster;
  std::set<std::string> links;  ///< all that it touches
  std::string address;          ///< with its length
  std::string unit;             ///< of kTakeLinesOut: it runs `path`, and is not to be disabled
  std::string path;
  std::vector<int> lines;  ///< numbers
};

/// "`sudo ip link set LINK nomaster`". Errors: kInvalid, with the reason of `untouchable` for the
/// first link that has one.
Result<std::string> text_of(const Remedy& remedy, const config::Node* node, host::View& view);

}  // namespace spark::kinds
