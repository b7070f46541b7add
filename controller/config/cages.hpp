#pragma once
// find_cages: which network device of this machine is which rail of which cage.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/cluster.hpp"
#include "config/dgx_names.hpp"

namespace spark::config {

/// One port of an RDMA device.
struct RdmaPlace {
  std::string device;      ///< "rocep1s0f0"
  std::uint32_t port = 0;  ///< from 1
  bool operator==(const RdmaPlace&) const = default;
};

/// What tells one network device from another, as far as the kernel knows it.
struct Netdev {
  std::string name;
  std::vector<std::string> altnames;
  std::string phys_switch_id;     ///< equal on all four functions of one ConnectX-7
  std::string phys_port_name;     ///< "p0" or "p1": the cage
  std::string pci_address;        ///< "0002:01:00.1"; empty: not a PCI function
  std::optional<RdmaPlace> rdma;  ///< the RDMA port whose network device it is
};

/// Rail to interface name, for the rails that were found.
using Cages = std::map<Rail, std::string>;

/// Resolves the cages of a machine by, in this order, what the file says (`cages:`),
/// phys_switch_id with phys_port_name, the PCI function, and the DGX name; a name alone counts only
/// for a device of which nothing better is known. The rail is the rank of the PCI domain: domain
/// 0000 is rail 0, domain 0002 rail 1. Grouping by PCI slot would join two cages: the functions of
/// one domain belong to different cages.
Cages find_cages(const std::vector<Netdev>& devices,
                 const std::map<int, std::vector<At<std::string>>>& named_in_file);

}  // namespace spark::config
