#pragma once
// Files of other managers that a person made and that claim a link that this program manages.

#include <string>
#include <vector>

#include "host/view.hpp"

namespace spark::kinds {

/// A file that sets up at least one of the links.
struct FileClaim {
  std::string path;
  int line = 0;                    ///< where it names the first of them
  std::vector<std::string> links;  ///< those that this program manages, sorted
  bool automatic = false;          ///< NetworkManager made it by itself: nobody asked for it
  /// What the file holds beside `links`, each with its line; empty: nothing, so that the whole file
  /// can be moved aside.
  std::vector<std::string> others;
};

struct FileClaims {
  std::vector<FileClaim> files;
  std::vector<std::string> unreadable;  ///< "PATH: Permission denied": may claim a link or not
};

/// The claims below /etc/netplan and in NetworkManager's profiles of this machine.
FileClaims find_claims(host::View& view, const std::vector<std::string>& links);

/// Appended to the name of a file that is moved aside: neither netplan nor NetworkManager reads it.
inline constexpr std::string_view kAsideSuffix = ".spark-reconcile~";
/// The same of the latest file that someone wrote in its place after that.
inline constexpr std::string_view kLaterSuffix = ".spark-reconcile-later~";

}  // namespace spark::kinds
