#pragma once
// Files of other managers that a person made and that claim a link we hold.

#include <string>
#include <vector>

#include "host/view.hpp"

namespace spark {

/// A file that sets up at least one of the links.
struct FileClaim {
  std::string path;
  int line = 0;                    ///< where it names the first of them
  std::vector<std::string> links;  ///< those of ours, sorted
  bool automatic = false;          ///< NetworkManager made it by itself: nobody's wish
  /// What it sets up beside them; empty: nothing, so that it can be moved aside as a whole.
  std::vector<std::string> others;
};

struct FileClaims {
  std::vector<FileClaim> files;
  std::vector<std::string> unreadable;  ///< "PATH: Permission denied": may claim a link or not
};

/// What stands below /etc/netplan and in NetworkManager's profiles of this machine.
FileClaims find_claims(View& view, const std::vector<std::string>& links);

/// Appended to the name of a file that is moved aside: neither netplan nor NetworkManager reads it.
inline constexpr std::string_view kAsideSuffix = ".spark-reconcile~";

}  // namespace spark
