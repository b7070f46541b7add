#pragma once
// What a node recorded of itself and of its links, from which "was it the network" is answered;
// also what nodes tell each other of it. No name of a user, a program or a container is in it.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"

namespace spark::protocol {

/// The daemon's record of this node, for all to read: a NodeSigns, whose `ahead` is 0.
inline constexpr const char* kRecordFile = "/run/spark-reconcile/record.json";
/// The same as it outlives a reboot.
inline constexpr const char* kKeptRecordFile = "/var/lib/spark-reconcile/record.json";
inline constexpr const char* kRecordSchema = "spark-reconcile/record/v1";
// Of such a document.
inline constexpr std::size_t kMostRecordedBytes = std::size_t{512} * 1024;
inline constexpr std::size_t kMostSigns = 2000;
inline constexpr std::size_t kMostSpansCovered = 200;

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

struct Span {
  WallTime from;
  WallTime to;
  bool operator==(const Span&) const = default;
};

template <EitherConst<Span> T, class Visit>
void each_field(T& span, Visit visit) {
  visit("from_ms", span.from);
  visit("to_ms", span.to);
}

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
constexpr bool is_proof(Sign sign) { return sign == Sign::kEcho || sign == Sign::kRdmaProven; }

/// One sign of one node, by the clock of that node.
struct Recorded {
  WallTime at;
  Sign sign = Sign::kChanged;
  std::string link;  ///< empty: the node as a whole
  std::string peer;  ///< at the other end of that link; empty: all that are there
  std::optional<std::chrono::milliseconds> lasted;  ///< empty: it did not end, or has no end
  std::string text;                                 ///< what more is known; empty: nothing
  bool operator==(const Recorded&) const = default;
};

template <EitherConst<Recorded> T, class Visit>
void each_field(T& sign, Visit visit) {
  visit("at_ms", sign.at);
  visit("sign", sign.sign);
  visit("link", unless_empty(sign.link));
  visit("peer", unless_empty(sign.peer));
  visit("lasted_ms", unless_empty(sign.lasted));
  visit("text", unless_empty(sign.text));
}

struct NodeSigns {
  std::string node;
  /// How far its clock was ahead of this node's; empty: not measured.
  std::optional<std::chrono::milliseconds> ahead;
  std::vector<Span> covered;  ///< while its daemon ran and recorded, by its clock
  std::vector<Recorded> signs;
  bool operator==(const NodeSigns&) const = default;
};

template <EitherConst<NodeSigns> T, class Visit>
void each_field(T& record, Visit visit) {
  visit("node", record.node);
  visit("ahead_ms", unless_empty(record.ahead));
  visit("covered", record.covered);
  visit("signs", record.signs);
}

}  // namespace spark::protocol
