#pragma once
// The checks of the gate, and the kinds of facts that they add.

#include "gate/common/check.hpp"
#include "kinds/network/address.hpp"
#include "kinds/network/mtu.hpp"
#include "kinds/network/roce.hpp"

namespace spark::gate {

// Checks of what the kernel's network tables show of a rail: link, MTU, address.

inline constexpr FactKind kLinkFact{.id = "SR-GATE-001", .name = "link", .goes_with_carrier = true};
void check_link(RailObservation& look);

inline constexpr FactKind kMtuFact{
    .id = "SR-GATE-002", .name = "mtu", .compares = kinds::Mtu::kName};
void check_mtu(RailObservation& look);

inline constexpr FactKind kAddressFact{
    .id = "SR-GATE-003", .name = "address", .compares = kinds::Address::kName};
void check_address(RailObservation& look);

// Checks of what the kernel's RDMA tables show of a rail: port and GID.

inline constexpr FactKind kPortFact{.id = "SR-GATE-004", .name = "port", .goes_with_carrier = true};
/// Notes the port and its device.
void check_port(RailObservation& look);

inline constexpr FactKind kGidFact{
    .id = "SR-GATE-005", .name = "gid", .compares = kinds::Roce::kName};
/// Notes the index of the GID.
void check_gid(RailObservation& look);

// Moves bytes within the port of a rail, by verbs.

inline constexpr FactKind kPathMtuFact{
    .id = "SR-GATE-006", .name = "path mtu", .compares = kinds::Mtu::kName};
inline constexpr FactKind kLoopbackFact{"SR-GATE-007", "loopback"};
inline constexpr FactKind kMemlockFact{"SR-GATE-008", "memlock"};
inline constexpr FactKind kBandwidthFact{"SR-GATE-009", "bandwidth", true};

/// Blocks for as long as the loopback takes.
void check_loopback(RailObservation& look);

// The speed that the link came up at, beside the one that the file names.

inline constexpr FactKind kSpeedFact{"SR-GATE-022", "speed"};

/// Only where the file has `speed`, and the driver tells one: a virtual link has none. It counts
/// with `ready.peers: require`, since the other end, a cable or a switch decides it as well.
void check_speed(RailObservation& look);

// Who is at the other end of each cable, and does another host have our address?

/// "one address, one host".
inline constexpr FactKind kOneHostFact{
    .id = "SR-GATE-017", .name = "one host", .reach = Reach::kOtherEnd};

/// Adds kCablingFact to each rail that has peers, a carrier and its own address, and kOneHostFact
/// once the network was asked, unless `ready.peers` is off. A peer that answers an echo is asked
/// nothing more. Blocks for as long as the questions take, a few seconds at most; once a cable is
/// proven, it asks nobody until the carrier is lost.
void check_cabling(const GateSnapshot& snapshot, GateReport& report);

// Do the nodes at the other ends answer, with packets of the full MTU?

/// Adds one fact to each rail that the file gives peers, unless `ready.peers` is off or this end of
/// the rail is not ready. Asks all peers at once; blocks until they have answered, a second at
/// most.
void check_peers(const GateSnapshot& snapshot, GateReport& report);

// Does RDMA reach the peers, and do they have the same file and MTU? It asks nobody: spark-peers
// hears and asks the peers all the time, and reports what it knows.

/// Adds kPeerRdmaFact and kPeerMtuFact to each rail over which spark-peers knows something of a
/// peer, and kSameFileFact to the node; MTU and file of peers that are heard alone. Adds none where
/// `ready.peers` is off, or where spark-peers has reported nothing since this boot. What it cannot
/// know, and another file, never count: a peer that starts again closes no gate that an echo leaves
/// open.
void check_between_nodes(const GateSnapshot& snapshot, GateReport& report);

// This node's connections, its mounts, and whether their volumes answer.

inline constexpr FactKind kNvmeFact{
    .id = "SR-GATE-010", .name = "nvme", .reach = Reach::kStorage, .goes_with_carrier = true};
inline constexpr FactKind kMountFact{
    .id = "SR-GATE-013", .name = "mount", .reach = Reach::kStorage, .goes_with_carrier = true};
inline constexpr FactKind kVolumeFact{
    .id = "SR-GATE-014", .name = "volume", .reach = Reach::kStorage, .goes_with_carrier = true};

/// Blocks for some seconds at most, also where a volume does not answer. No facts when the file has
/// no storage.
void check_storage(const GateSnapshot& snapshot, GateReport& report);

// How much memory a service that starts now may lock, measured and not computed.

inline constexpr FactKind kServiceFact{"SR-GATE-015", "service", true};

/// Makes systemd start a service that registers memory with the RDMA device of one rail: as much as
/// the file says a service may lock, at most 64 MiB, or 4 MiB where it says nothing. No fact where
/// there is no systemd to ask, no RDMA device, and in a light look.
void check_service(const GateSnapshot& snapshot, GateReport& report);

// A node without a rail to look at is not proven.

inline constexpr FactKind kRailsFact{"SR-GATE-012", "rails"};

/// A fact only where the file gives this node no rail with an address.
void check_rails(const GateSnapshot& snapshot, GateReport& report);

}  // namespace spark::gate
