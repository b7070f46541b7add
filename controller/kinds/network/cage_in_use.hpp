#pragma once
// A cage that the file does not name, and that is in use all the same.

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "config/node.hpp"

namespace spark::kinds {

/// `unused_cages: down` leaves such a cage as it is.
inline constexpr std::string_view kCageInUse = "SR-LINK-003";

/// What to say of one that has a carrier.
inline std::string unnamed_cage_text(const config::Node& node, int cage) {
  return fmt::format(
      "cage {0} has a carrier and is not in the file: move the plug, or write {1}:{0} in `ends`",
      cage, node.name);
}

}  // namespace spark::kinds
