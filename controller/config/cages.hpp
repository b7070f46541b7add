#pragma once
// find_cages: which network device of this machine is which rail of which cage.

#include <cstddef>
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

// rails_of_cage, rails_at, link_of_rail: how many rails an end of a cable or switch has, and what
// they are called.

/// Rails of a cage: as many as `cages` lists for it, else the two of a Spark.
std::size_t rails_of_cage(const NodeSpec& node, int cage);

/// Of a cage of any node; of a node that is not in the file, two.
std::size_t rails_of_cage(const Cluster& cluster, const CageEnd& end);

/// Rails of an end that reach the others: on a cable no more than the other end has.
std::size_t rails_at(const Cluster& cluster, const Segment& segment, const CageEnd& end);

/// The name of its link by the file, else the one that DGX OS gives it.
std::string link_of_rail(const NodeSpec& node, Rail rail);

// path_mtu_of: the size of RoCE's packets on a link of an MTU.

/// The most that the payload of a RoCE packet can have, in bytes.
inline constexpr std::uint32_t kLargestPathMtu = 4096;

/// The RDMA path MTU, in bytes, that a network device's MTU yields: without a packet's headers,
/// rounded down to 4096, 2048, 1024, 512 or 256; 0 below 256 (iboe_get_mtu in the kernel's
/// rdma/ib_addr.h).
std::uint32_t path_mtu_of(std::uint32_t mtu_bytes);

}  // namespace spark::config
