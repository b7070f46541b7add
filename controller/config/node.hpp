#pragma once
// Node: what the file asks of this one machine, with the machine's own interface names.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/cages.hpp"
#include "config/cluster.hpp"
#include "config/dgx_names.hpp"

namespace spark::config {

/// Why a link is wanted the way it is.
enum class LinkRole : std::uint8_t {
  kRail,    ///< a rail of a cage that a cable or switch names
  kUnused,  ///< a rail of a cage that nothing names, under `unused_cages: down`
  kNamed,   ///< only `links:` names it
};

/// One network device and everything the file asks of it. What is empty is left as it is.
struct WantedLink {
  std::string name;  ///< the kernel's name here, or the expected one when it is absent
  LinkRole role = LinkRole::kNamed;
  std::optional<Rail> rail;  ///< which cage and rail it is, where known
  Where where;
  std::optional<At<std::uint32_t>> mtu;    ///< bytes
  std::optional<At<std::uint64_t>> speed;  ///< bits a second; compared by the gate, never set
  std::optional<At<bool>> up;
  std::optional<At<LinkLocalMode>> link_local;
  std::vector<At<IpPrefix>> addresses;
  std::vector<RouteSpec> routes;
  bool exclusive = false;
  bool owner_host = false;  ///< compared, never set
  bool rdma = false;        ///< its addresses are for RDMA: it is a rail, or has an RDMA device
  std::optional<RdmaPlace> rdma_port;  ///< empty: its RDMA device is absent, or it has none
  /// The index of the RoCE v2 GID of its first address. Looked up only where the file wants the
  /// index pinned, since it moves. Empty: there is no such GID, or nobody asked.
  std::optional<std::uint32_t> gid_index;
};

/// An address at the other end of one of this node's rails.
struct Peer {
  std::string node;
  IpAddress ip;
  IpAddress local;   ///< our address on the rail
  std::string link;  ///< our rail to it
  IpPrefix subnet;   ///< of that rail
  Where where;       ///< of the cable or switch
  int cage = 0;      ///< the peer's
  int rail = 0;
  std::string segment;    ///< name of the switch; empty for a cable
  bool external = false;  ///< no node of the file: nothing is known of its cage and rail
};

/// One address at one end of a cable or switch of the file, of this node or another.
struct FabricEnd {
  std::string node;
  int cage = 0;
  IpAddress ip;
  bool operator==(const FabricEnd&) const = default;
};

/// A line for the managed block of /etc/hosts.
struct HostName {
  IpAddress ip;
  std::string name;
};

/// How this node and the nodes that it reaches over the fabric are connected.
struct FabricShape {
  /// Our rail 0 on a cable or switch that connects all of these nodes. Empty: there is none, as on
  /// a ring.
  std::string shared_link;
  /// Only the subnet of a peer tells which device leads to it: the cables lead to several nodes, or
  /// join unlike cages.
  bool by_subnet = false;
  /// Some of these nodes have no cable or switch in common, so that RDMA does not reach from one to
  /// the other, and each has two neighbours: a ring of four or more.
  bool is_long_ring = false;
  std::vector<IpPrefix> subnets;  ///< of the rails of all of them, sorted
};

struct Node {
  std::string name;
  std::string cluster;
  std::string digest;                       ///< of the file
  std::map<std::string, WantedLink> links;  ///< by WantedLink::name
  /// The rails that the file does not name of cages in use, by name: they are connected to the same
  /// wire. With the place of the rail that is in use.
  std::map<std::string, Where> twins;
  std::vector<Peer> peers;
  std::vector<FabricEnd> ends;  ///< all of the file, in its order
  FabricShape fabric;
  std::map<std::string, At<std::string>> sysctl;
  std::optional<At<std::vector<HostName>>> hosts;
  std::optional<At<std::string>> management;
  std::vector<At<std::string>> modules;
  std::optional<At<Memlock>> memlock;
  std::optional<At<RdmaCmMode>> rdma_cm_mode;
  std::vector<NvmeTarget> storage;  ///< with the mounts of this node alone
  std::optional<Environment> environment;
  Ready ready;
  At<bool> take_over;
  /// A release: everything is restored, and the ledger keeps nothing of what the file asks for.
  bool released = false;
};

}  // namespace spark::config
