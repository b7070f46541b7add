#pragma once
// What nodes tell each other, and what spark-peers and the daemon hand to each other: four
// documents.
//
//   PeersOrder    the daemon → spark-peers: what this node tells, and whom it expects
//   Hello         spark-peers → every rail, without an address: what changes, in one frame
//   NodeDetails   spark-peers → a peer that asks for them: the rest
//   PeersReport   spark-peers → the daemon and the verbs: whom it heard, and what was proven
//
// All of it is information: nothing here configures anything.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "protocol/peer_probe.hpp"
#include "protocol/problem.hpp"

namespace spark::protocol {

inline constexpr const char* kPeersOrderFile = "/run/spark-reconcile/peers-order.json";
inline constexpr const char* kPeersOrderSchema = "spark-reconcile/peers-order/v1";
inline constexpr const char* kPeersReportFile = "/run/spark-reconcile-peers/peers.json";
/// Until when that report counts (alive.hpp), said with each hello of this node. Absent also:
/// nobody is to be heard.
inline constexpr const char* kPeersAliveFile = "/run/spark-reconcile-peers/alive";
inline constexpr const char* kPeersReportSchema = "spark-reconcile/peers/v1";
inline constexpr const char* kDetailsSchema = "spark-reconcile/details/v1";
/// Where the daemon hands the hello's socket over, to the user below alone.
inline constexpr const char* kHelloDoor = "/run/spark-reconcile/hello.socket";
inline constexpr const char* kPeersUser = "spark-peers";
/// The key of the nodes cannot be used.
inline constexpr const char* kKeyId = "SR-PEERS-001";
/// Where spark-peers listens, on the rails alone.
inline constexpr std::uint16_t kPeersPort = 9843;

/// IEEE Std 802, Local Experimental EtherType 1.
inline constexpr std::uint16_t kHelloEtherType = 0x88B5;
/// A node is silent that sent no hello for so long: three did not come, of one every five seconds,
/// and the time that the third would have taken.
inline constexpr std::chrono::seconds kSilentAfter{16};
/// A hello has at most so many bytes behind its Ethernet header.
inline constexpr std::size_t kMostHelloBytes = 400;
/// Of each document that comes from a peer.
inline constexpr std::size_t kMostDetailsBytes = std::size_t{16} * 1024;
/// Of each document that spark-peers and the daemon hand to each other.
inline constexpr std::size_t kMostPeersBytes = std::size_t{1024} * 1024;

/// One end of a rail, as its node reports it.
struct RailDetails {
  std::string link;
  int cage = 0;
  int rail = 0;
  std::string mac;
  std::uint32_t mtu = 0;        ///< bytes, as it is
  std::uint32_t speed = 0;      ///< Mb/s; 0: not known
  std::optional<IpAddress> ip;  ///< the rail's first address
  std::string device;           ///< RDMA device; empty: none
  std::uint32_t port = 0;       ///< of that device, from 1
  bool carrier = false;
  /// Why RDMA cannot work over this end: "no RoCE v2 GID of 192.0.2.11 on this link". Empty: all
  /// facts of the gate that RDMA needs hold.
  std::string fault;
  bool waits = false;  ///< the fault is none yet: what is missing may come by itself
  bool operator==(const RailDetails&) const = default;
};

template <EitherConst<RailDetails> T, class Visit>
void each_field(T& rail, Visit visit) {
  visit("link", rail.link);
  visit("cage", rail.cage);
  visit("rail", rail.rail);
  visit("mac", may_lack(rail.mac));
  visit("mtu", may_lack(rail.mtu));
  visit("speed_mbps", may_lack(rail.speed));
  visit("ip", rail.ip);
  visit("device", may_lack(rail.device));
  visit("port", may_lack(rail.port));
  visit("carrier", may_lack(rail.carrier));
  visit("fault", may_lack(rail.fault));
  visit("waits", may_lack(rail.waits));
}

/// What a node heard of a neighbour over a cable, and passes on: in a ring of four the nodes that
/// are across hear each other by no cable. It bears no time: a hello of who passes it on says that
/// it still holds.
struct PassedOn {
  std::string node;
  std::string boot;       ///< the beginning of its boot id
  std::string file;       ///< the beginning of the digest of its file; empty: none
  std::string candidate;  ///< the same of one that is on trial or waits
  std::string verdict;    ///< "ready", "not ready", …
  bool is_silent = false;
  bool operator==(const PassedOn&) const = default;
};

template <EitherConst<PassedOn> T, class Visit>
void each_field(T& passed, Visit visit) {
  visit("node", passed.node);
  visit("boot", may_lack(passed.boot));
  visit("file", may_lack(passed.file));
  visit("candidate", unless_empty(passed.candidate));
  visit("verdict", may_lack(passed.verdict));
  visit("silent", may_lack(passed.is_silent));
}

/// A node has two cages.
inline constexpr std::size_t kMostPassedOn = 4;

/// What a node knows of the way to a peer over one of its rails.
enum class Reach : std::uint8_t {
  kNotAsked,  ///< nobody was asked
  kNone,      ///< no echo of the whole MTU, and no RDMA
  kEcho,      ///< an echo, and no RDMA yet
  kRdma,      ///< both
};

inline constexpr std::array<std::string_view, 4> kReaches = {"not_asked", "none", "echo", "rdma"};
constexpr const auto& names_of(Reach /*any*/) { return kReaches; }

/// The same of one peer over one rail, as a node passes it on. It bears no time: a hello of who
/// passes it on says that it still holds.
struct PeerReach {
  std::string node;
  int cage = 0;  ///< of the node that tells it
  int rail = 0;
  Reach reach = Reach::kNotAsked;
  /// True: RDMA was tried last without success, though the peer may have proven it before.
  std::optional<bool> rdma_fails;
  bool operator==(const PeerReach&) const = default;
};

template <EitherConst<PeerReach> T, class Visit>
void each_field(T& peer, Visit visit) {
  visit("node", peer.node);
  visit("cage", peer.cage);
  visit("rail", peer.rail);
  visit("reach", peer.reach);
  visit("rdma_fails", unless_empty(peer.rdma_fails));
}

/// Of more, a node tells none.
inline constexpr std::size_t kMostReach = 64;

/// How a node stood, until the verdict after it.
struct VerdictSince {
  std::string verdict;  ///< "ready", "not ready", …
  std::string since;    ///< RFC 3339, by the clock of that node
  bool operator==(const VerdictSince&) const = default;
};

template <EitherConst<VerdictSince> T, class Visit>
void each_field(T& span, Visit visit) {
  visit("verdict", span.verdict);
  visit("since", span.since);
}

/// Of a node that changes more often, the newest.
inline constexpr std::size_t kMostVerdictsTold = 32;

/// What a node reports of itself to a peer that asks. A newer version may send more, an older one
/// less: each member may lack but the first two.
struct NodeDetails {
  std::string cluster;
  std::string node;
  std::string version;  ///< of the program
  std::string boot_id;  ///< of this boot: another one after each reboot
  std::string machine;  ///< sd_id128_get_machine_app_specific(3), never /etc/machine-id itself
  std::string kernel;   ///< uname -r
  std::string file;     ///< SHA-256 of the file in force; empty: none
  /// SHA-256 of a newer file that waits, or of the one in force while nobody knows yet whether it
  /// is good here; empty: neither.
  std::string candidate;
  std::string verdict;               ///< "ready", "not ready", …
  std::vector<std::string> reasons;  ///< of the verdict, at most kMostReasons; for people
  std::vector<RailDetails> rails;
  std::uint32_t peers_version = 0;  ///< kPeersVersion of its spark-peers; 0: it has none
  std::vector<PassedOn> heard;      ///< over its cables; behind a switch all hear each other
  // For people who compare nodes. Empty: it has none, or does not know.
  std::string firmware;  ///< of its ConnectX: "28.45.4028 (NVD0000000087)"; several with ", "
  std::string driver;    ///< of its ConnectX: "mlx5_core", with a version unless it is the kernel's
  std::string dgx_os;    ///< version of DGX OS: "7.5.0"
  std::string gpu_driver;              ///< "580.95.05"
  std::string memlock;                 ///< what a new service may lock: "unlimited", "15 GiB"
  std::string host_nqn;                ///< the beginning of the digest of its NVMe host NQN
  std::vector<PeerReach> reach;        ///< its peers, over each of its rails
  std::vector<VerdictSince> verdicts;  ///< of its last day, the newest first
  /// Of which the verdict is made, the worst first, at most kMostProblems. Empty: it is ready, or
  /// of a version that tells `reasons` alone.
  std::vector<Problem> problems;
  bool operator==(const NodeDetails&) const = default;

  /// Null: it has no such rail.
  [[nodiscard]] const RailDetails* rail(std::string_view link) const {
    const auto found = std::ranges::find(rails, link, &RailDetails::link);
    return found == rails.end() ? nullptr : &*found;
  }
  [[nodiscard]] const RailDetails* rail_with(const IpAddress& ip) const {
    const auto found = std::ranges::find(rails, ip, &RailDetails::ip);
    return found == rails.end() ? nullptr : &*found;
  }
};

inline constexpr std::size_t kMostReasons = 4;

template <EitherConst<NodeDetails> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("cluster", details.cluster);
  visit("node", details.node);
  visit("version", may_lack(details.version));
  visit("boot_id", may_lack(details.boot_id));
  visit("machine", may_lack(details.machine));
  visit("kernel", may_lack(details.kernel));
  visit("file", may_lack(details.file));
  visit("candidate", may_lack(details.candidate));
  visit("verdict", may_lack(details.verdict));
  visit("reasons", details.reasons);
  visit("rails", details.rails);
  visit("peers_version", may_lack(details.peers_version));
  visit("heard", unless_empty(details.heard));
  visit("firmware", unless_empty(details.firmware));
  visit("driver", unless_empty(details.driver));
  visit("dgx_os", unless_empty(details.dgx_os));
  visit("gpu_driver", unless_empty(details.gpu_driver));
  visit("memlock", unless_empty(details.memlock));
  visit("host_nqn", unless_empty(details.host_nqn));
  visit("reach", unless_empty(details.reach));
  visit("verdicts", unless_empty(details.verdicts));
  visit("problems", unless_empty(details.problems));
}

/// An address at the other end of one of our rails.
struct ExpectedPeer {
  std::string node;
  IpAddress ip;
  std::string link;  ///< our rail
  IpAddress local;   ///< our address there
  int cage = 0;      ///< the peer's
  int rail = 0;
  bool on_switch = false;
  bool operator==(const ExpectedPeer&) const = default;
};

template <EitherConst<ExpectedPeer> T, class Visit>
void each_field(T& peer, Visit visit) {
  visit("node", peer.node);
  visit("ip", peer.ip);
  visit("link", peer.link);
  visit("local", peer.local);
  visit("cage", peer.cage);
  visit("rail", peer.rail);
  visit("on_switch", may_lack(peer.on_switch));
}

/// Changes when the node does, and bears no time of a look: nothing is written where nothing
/// changed.
struct PeersOrder {
  bool enabled = false;  ///< `ready.peers` is not off
  NodeDetails own;
  std::vector<ExpectedPeer> peers;  ///< in the order of the file
  std::string key_file;             ///< of the key that all nodes have; empty: they have none
  bool operator==(const PeersOrder&) const = default;
};

template <EitherConst<PeersOrder> T, class Visit>
void each_field(T& order, Visit visit) {
  visit("enabled", order.enabled);
  visit("own", order.own);
  visit("peers", order.peers);
  visit("key_file", may_lack(order.key_file));
}

/// In one Ethernet frame, about every five seconds and at once when something changed.
struct Hello {
  std::string cluster;
  std::string node;
  int cage = 0;
  int rail = 0;
  std::string boot;            ///< the beginning of the boot id: a sequence counts within one boot
  std::uint64_t sequence = 0;  ///< grows with each hello of this node
  std::string file;            ///< the beginning of the digest of the file in force; empty: none
  std::string candidate;       ///< the same of a newer one
  std::string verdict;         ///< "ready", "not ready", …
  std::uint32_t mtu = 0;       ///< of this rail, bytes
  std::string details;         ///< the beginning of the digest of NodeDetails
  bool operator==(const Hello&) const = default;
};

template <EitherConst<Hello> T, class Visit>
void each_field(T& hello, Visit visit) {
  visit("cluster", hello.cluster);
  visit("node", hello.node);
  visit("cage", hello.cage);
  visit("rail", hello.rail);
  visit("boot", hello.boot);
  visit("seq", hello.sequence);
  visit("file", may_lack(hello.file));
  visit("candidate", may_lack(hello.candidate));
  visit("verdict", may_lack(hello.verdict));
  visit("mtu", may_lack(hello.mtu));
  visit("details", may_lack(hello.details));
}

/// So much of a digest is in a hello.
inline constexpr std::size_t kShortDigest = 16;
inline std::string short_digest(std::string_view digest) {
  return std::string(digest.substr(0, kShortDigest));
}

/// A hello as it was heard on one of our rails.
struct HeardHello {
  std::string link;  ///< our rail
  std::string mac;   ///< the sender's
  Hello hello;
  std::int64_t heard_ms = 0;  ///< CLOCK_BOOTTIME
  bool is_silent = false;     ///< three of its hellos did not come
  std::int64_t since_ms = 0;  ///< CLOCK_BOOTTIME of the first hello with this verdict; 0: not known
  bool operator==(const HeardHello&) const = default;
};

template <EitherConst<HeardHello> T, class Visit>
void each_field(T& heard, Visit visit) {
  visit("link", heard.link);
  visit("mac", heard.mac);
  visit("hello", heard.hello);
  visit("heard_boot_ms", heard.heard_ms);
  visit("silent", heard.is_silent);
  visit("since_boot_ms", may_lack(heard.since_ms));
}

/// The hello that counts of those of a node: over a rail that it is heard on if there is one, and
/// of such the last. Null: there is none.
inline const HeardHello* last_hello(const std::vector<HeardHello>& heard, std::string_view node) {
  const auto rank = [](const HeardHello& hello) {
    return std::pair(!hello.is_silent, hello.heard_ms);
  };
  const HeardHello* last = nullptr;
  for (const auto& hello : heard) {
    if (hello.hello.node != node) continue;
    if (last == nullptr || rank(hello) > rank(*last)) last = &hello;
  }
  return last;
}

/// Over at least one rail.
inline bool is_heard(const std::vector<HeardHello>& heard, std::string_view node) {
  const auto* last = last_hello(heard, node);
  return last != nullptr && !last->is_silent;
}

/// Why what a node says is not its own for certain.
enum class KeyFault : std::uint8_t {
  kNone,     ///< it is
  kAnother,  ///< it was made with another key
  kMissing,  ///< it was made without a key, and this node has one
  kAsked,    ///< it was made with a key, and this node has none
};

inline constexpr std::array<std::string_view, 4> kKeyFaults = {"none", "another", "missing",
                                                               "asked"};
constexpr const auto& names_of(KeyFault /*any*/) { return kKeyFaults; }

/// "spark2 has another key".
inline std::string key_text(const std::string& node, KeyFault fault) {
  switch (fault) {
    case KeyFault::kAnother:
      return node + " has another key";
    case KeyFault::kMissing:
      return node + " has no key (ready.key_file)";
    case KeyFault::kAsked:
      return node + " asks for a key, and this node has none";
    case KeyFault::kNone:
      break;
  }
  return {};
}

/// Hellos with the name of an expected node that were not taken, while none of that node's own
/// came.
struct RefusedHello {
  std::string link;  ///< our rail
  std::string node;
  std::string mac;  ///< the last sender's
  KeyFault fault = KeyFault::kNone;
  std::uint64_t count = 0;
  std::int64_t heard_ms = 0;  ///< CLOCK_BOOTTIME, of the last one
  bool operator==(const RefusedHello&) const = default;
};

template <EitherConst<RefusedHello> T, class Visit>
void each_field(T& refused, Visit visit) {
  visit("link", refused.link);
  visit("node", refused.node);
  visit("mac", refused.mac);
  visit("fault", refused.fault);
  visit("count", refused.count);
  visit("heard_boot_ms", refused.heard_ms);
}

/// What a node told when it was asked.
struct ToldDetails {
  NodeDetails details;
  std::int64_t told_ms = 0;  ///< CLOCK_BOOTTIME
  std::string failed;        ///< why the last question had no answer; empty: it had
  /// CLOCK_BOOTTIME at which another machine than before first answered as that node; 0: the same
  /// machine has answered all along.
  std::int64_t replaced_ms = 0;
  bool operator==(const ToldDetails&) const = default;
};

template <EitherConst<ToldDetails> T, class Visit>
void each_field(T& told, Visit visit) {
  visit("details", told.details);
  visit("told_boot_ms", told.told_ms);
  visit("failed", may_lack(told.failed));
  visit("replaced_boot_ms", may_lack(told.replaced_ms));
}

/// What that node told; null: nothing yet.
inline const ToldDetails* told_by(const std::vector<ToldDetails>& all, std::string_view node) {
  const auto found =
      std::ranges::find_if(all, [&](const ToldDetails& told) { return told.details.node == node; });
  return found == all.end() ? nullptr : &*found;
}

/// What keeps RDMA to a peer from being tried, or from being tried again.
enum class RdmaHindrance : std::uint8_t {
  kNone,       ///< nothing
  kThisEnd,    ///< this node's end of the rail is not ready
  kPeerEnd,    ///< the peer's end is not ready, as the peer says
  kPeerWaits,  ///< the same, and what is missing there may come by itself
  kNotHeard,   ///< the peer is not heard, or does not answer what it is asked
  kJob,        ///< a job uses the device at one end
  kProbe,      ///< another probe goes over the rail
  kOther,
  kKey,  ///< one of the two has no key, or they have different ones
};

inline constexpr std::array<std::string_view, 9> kRdmaHindrances = {
    "none", "this_end", "peer_end", "peer_waits", "not_heard", "job", "probe", "other", "key"};
constexpr const auto& names_of(RdmaHindrance /*any*/) { return kRdmaHindrances; }

/// RDMA between this node and a peer over one rail: the last time that both ends tried, and what
/// kept them from trying since.
struct RdmaProof {
  std::string node;
  std::string link;                  ///< our rail
  IpAddress ip;                      ///< the peer's
  std::int64_t tried_ms = 0;         ///< CLOCK_BOOTTIME of the last try that began; 0: none
  std::optional<PeerReport> ours;    ///< what we moved
  std::optional<PeerReport> theirs;  ///< what the peer moved
  std::string boot_id;               ///< the peer's, of that try
  RdmaHindrance hindrance = RdmaHindrance::kNone;
  std::string why;  ///< of the hindrance, as a clause; empty: there is none

  /// It is the one of that address of that peer over that rail of ours.
  [[nodiscard]] bool is_of(std::string_view peer, std::string_view rail,
                           const IpAddress& address) const {
    return node == peer && link == rail && ip == address;
  }
  [[nodiscard]] bool is_proven() const {
    return ours && !ours->failed && theirs && !theirs->failed;
  }
};

template <EitherConst<RdmaProof> T, class Visit>
void each_field(T& proof, Visit visit) {
  visit("node", proof.node);
  visit("link", proof.link);
  visit("ip", proof.ip);
  visit("tried_boot_ms", proof.tried_ms);
  visit("ours", proof.ours);
  visit("theirs", proof.theirs);
  visit("boot_id", may_lack(proof.boot_id));
  visit("hindrance", may_lack(proof.hindrance));
  visit("why", may_lack(proof.why));
}

struct PeersReport {
  std::string boot_id;  ///< of this machine: reports of an earlier boot count for nothing
  std::string failed;   ///< why nobody can be heard; empty: they can
  std::vector<HeardHello> heard;
  std::vector<ToldDetails> told;
  std::vector<RdmaProof> rdma;
  bool has_key = false;    ///< all of it was said with the key of this node
  std::string key_failed;  ///< why the key cannot be used; empty: it can, or the file names none
  std::vector<RefusedHello> refused;
  std::string
      machine;  ///< this one, as peers are told it; empty: it has no id, or an earlier version
};

template <EitherConst<PeersReport> T, class Visit>
void each_field(T& report, Visit visit) {
  visit("boot_id", report.boot_id);
  visit("failed", may_lack(report.failed));
  visit("heard", report.heard);
  visit("told", report.told);
  visit("rdma", report.rdma);
  visit("has_key", may_lack(report.has_key));
  visit("key_failed", may_lack(report.key_failed));
  visit("refused", report.refused);
  visit("machine", may_lack(report.machine));
}

}  // namespace spark::protocol
