#pragma once
// MapChange: what differs between the maps of two files.

#include <string>
#include <string_view>
#include <vector>

#include "drawing/fabric_map.hpp"

namespace spark::drawing {

/// One node, cable or switch that came, went, or has other values. A cable is the same where it
/// joins the same cages, a switch where it has the same name.
struct MapChange {
  struct Value {
    std::string what;  ///< "mtu", "rail 0", "spark1:0 rail 0", "port spark9:1"
    std::string now;   ///< empty: there is none now
    std::string was;   ///< empty: there was none
  };
  bool is_now = true;
  bool was = true;
  std::string sort;
  std::string name;
  std::vector<Value> values;  ///< where it is and was: what differs, never none
};

/// In the order of the nodes, then of the segments.
std::vector<MapChange> changes_between(const FabricMap& now, const FabricMap& was);

/// "added", "removed", "changed", and "+", "-", "~".
std::string_view name_of(const MapChange& change);
std::string_view sign_of(const MapChange& change);

/// "~ cable spark1:0 ══ spark2:1".
std::string text_of(const MapChange& change);
/// "~ mtu  9000 (was 1500)", "+ port spark9:1  10.10.1.9/24".
std::string text_of(const MapChange::Value& value);

}  // namespace spark::drawing
