#pragma once
// What nodes recorded around a time: the signs from which was_it_the_network answers.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/dgx_names.hpp"

namespace spark::jobs {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

struct Span {
  Time from;
  Time to;
};

enum class Sign : std::uint8_t {
  // Each is a fault of the network where no restart of a node explains it.
  kCarrierLost,
  kDeviceGone,
  kPeerSilent,  ///< no echo came back over the link
  kRdmaFailed,
  kMtuChanged,
  kAddressGone,
  kGidMoved,
  // The network worked.
  kEcho,
  kRdmaProven,
  // What explains others.
  kNodeStarted,  ///< the machine, not the daemon
  // Seen, not judged.
  kSentAgain,
  kOutOfMemory,
  kXid,
  kHeat,
  kPause,
  kKernelLine,
  kChanged,  ///< by this program or another one
};

inline constexpr std::array<std::string_view, 17> kSigns{
    "carrier_lost", "device_gone", "peer_silent",  "rdma_failed",    "mtu_changed", "address_gone",
    "gid_moved",    "echo",        "rdma_proven",  "node_started",   "sent_again",  "out_of_memory",
    "xid",          "heat",        "pause_frames", "line_of_kernel", "changed"};
constexpr const auto& names_of(Sign /*any*/) { return kSigns; }

/// Where no restart of a machine explains it.
constexpr bool is_fault(Sign sign) { return sign <= Sign::kGidMoved; }

/// One sign of one node, by the clock of that node.
struct Recorded {
  Time at;
  Sign sign = Sign::kChanged;
  std::string link;                                 ///< empty: the node as a whole
  std::optional<config::Rail> rail;                 ///< of the link
  std::optional<std::chrono::milliseconds> lasted;  ///< empty: it did not end, or has no end
  std::string text;                                 ///< what more is known; empty: nothing
};

struct NodeRecord {
  std::string node;
  /// How far its clock was ahead of this node's; empty: not measured.
  std::optional<std::chrono::milliseconds> ahead;
  std::vector<Span> covered;  ///< while its daemon ran and recorded, by its clock
  std::vector<Recorded> signs;
};

/// A rail of this node, and the other end of its cable. Of a switch there is one for each peer.
struct Way {
  std::string link;
  std::optional<config::Rail> rail;
  std::string peer;
  std::string peer_link;
};

struct JobSpan {
  Time began;  ///< at latest
  Time ended;
  std::vector<std::string> links;  ///< of this node, on which it had queue pairs
};

}  // namespace spark::jobs
