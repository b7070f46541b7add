#pragma once
// Wiring: who is connected to whom, as far as an explanation needs it.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spark::diagnosis {

/// A rail of a node.
struct RailEnd {
  std::string node;
  std::string link;
  std::set<std::string>
      leads_to;               ///< by the file: the other end of its cable, or all of its switch
  bool is_on_switch = false;  ///< its carrier is that of the switch
  bool has_carrier = true;
};

struct Wiring {
  std::string own;                ///< the node that diagnoses
  std::vector<RailEnd> rails;     ///< of this node, and of all that told of theirs
  std::set<std::string> unheard;  ///< nodes of which nobody has any news

  /// Null: nothing is known of it.
  [[nodiscard]] const RailEnd* rail(std::string_view node, std::string_view link) const;
  [[nodiscard]] bool is_neighbour(const std::string& node) const;
  /// No rail of this node leads there, and of those who would pass its hello on none is heard.
  [[nodiscard]] bool is_behind_silence(const std::string& node) const;
};

}  // namespace spark::diagnosis
