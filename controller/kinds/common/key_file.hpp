#pragma once
// Key files by GLib's rules (GKeyFile), as NetworkManager's profiles and settings are.

#include <functional>
#include <string_view>

namespace spark::kinds {

/// A line of a key file that says something.
struct KeyFileLine {
  std::string_view group;  ///< "connection"; empty: before the first one
  std::string_view key;    ///< empty: the line begins its group
  std::string_view value;
  int number = 0;  ///< of the line, from 1
};

/// Calls `visit` for each group and key. Blanks before a line and around '=' do not count; '#'
/// begins a comment where it begins a line, and ';' does not.
void each_key(std::string_view text, const std::function<void(const KeyFileLine&)>& visit);

}  // namespace spark::kinds
