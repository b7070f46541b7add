#pragma once
// The netplan files of this machine, and the devices that they set up.

#include <string>
#include <vector>

#include "config/netplan.hpp"
#include "host/view.hpp"

namespace spark::kinds {

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
