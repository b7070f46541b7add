#pragma once
// The two files that keep other managers off links, and what those managers say of a link.

#include <set>
#include <string>
#include <vector>

#include "config/netplan.hpp"
#include "host/view.hpp"

namespace spark::kinds {

/// A manager of links, other than this program.
enum class Manager : std::uint8_t { kNetworkManager, kNetworkd };

/// "NetworkManager", "systemd-networkd".
const char* name_of(Manager manager);

/// The file that names the links which `manager` leaves alone. NetworkManager's is read after those
/// of distributions; networkd takes the first file that matches a link (netplan's are
/// 10-netplan-…).
const char* unmanaged_file(Manager manager);

/// The links that the text of such a file names.
std::set<std::string> unmanaged_links(Manager manager, const std::string& text);
/// The text of the file that names those links; empty when there are none.
std::string unmanaged_text(Manager manager, const std::set<std::string>& links);

/// What a look at this machine says of one manager and one link.
struct ManagerState {
  bool installed = false;
  bool runs = false;
  bool kept_off = false;  ///< our file names the link
  bool manages = false;   ///< it says that it manages the link now
  /// A line that goes before our file and lets the manager have the link, "PATH:LINE"; empty: none.
  std::string overruled_by;
};
Result<ManagerState> state_of_manager(host::View& view, Manager manager, const host::LinkInfo* link,
                                      const std::string& name);

// The netplan files of this machine, and the devices that they set up.

struct NetplanFile {
  std::string path;
  config::Netplan text;
};

struct NetplanFiles {
  std::vector<NetplanFile> files;  ///< as netplan reads them: by name, and a later one goes before
  std::vector<std::string> unreadable;  ///< "PATH: Permission denied"
};

/// The files that count: of two with the same name, the one in the earlier directory
/// (netplan-generate(8)): /run, /etc, /usr/lib.
NetplanFiles read_netplan_files(host::View& view);

}  // namespace spark::kinds
