#pragma once
// What the two probes of an RDMA connection between two nodes are asked for, and the lines that
// they print for each other. Who starts the two passes each line of one to the other, unread.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "base/json_document.hpp"
#include "base/line_buffer.hpp"
#include "base/result.hpp"

namespace spark::protocol {

/// Of the lines. Both ends must have the same; the offer says it.
inline constexpr std::uint32_t kPeerVersion = 1;
/// Bytes, the newline included. A longer line is refused.
inline constexpr std::size_t kLongestPeerLine = 4096;
inline constexpr std::size_t kMostQueuePairs = 8;

/// What an end does with the memory of the other.
enum class PeerOperation : std::uint8_t {
  kVerify,  ///< `peer`: WRITE, READ and SEND, compared, and the time of a small WRITE
  kNone,    ///< `bench`: only lends its memory
  kWrite,   ///< `bench`: WRITE for some seconds
  kRead,    ///< `bench`: READ for some seconds
};

inline constexpr std::array<std::string_view, 4> kPeerOperations = {"verify", "none", "write",
                                                                    "read"};
constexpr const auto& names_of(PeerOperation /*any*/) { return kPeerOperations; }

struct PeerRequest {
  std::string device;      ///< "rocep1s0f0"
  std::uint32_t port = 1;  ///< from 1
  int link_index = 0;      ///< ifindex of the network device whose address it is
  IpAddress ip;            ///< own; its RoCE v2 GID is found by content
  std::chrono::milliseconds deadline{10'000};  ///< for all steps together
  PeerOperation operation = PeerOperation::kVerify;
  std::chrono::seconds duration{0};  ///< of kWrite and kRead
  std::uint32_t queue_pairs = 1;     ///< 1 to kMostQueuePairs
};

/// The first line: where this end is, and the memory that it lends.
struct PeerOffer {
  static constexpr std::string_view kStep = "offer";
  std::uint32_t version = kPeerVersion;
  PeerOperation operation = PeerOperation::kVerify;
  std::string state;                       ///< of its port: "active", "down", …
  std::uint32_t active_mtu = 0;            ///< RDMA path MTU of its port, bytes: 256 to 4096
  IpAddress gid;                           ///< 16 bytes: ::ffff:192.0.2.1
  std::vector<std::uint32_t> queue_pairs;  ///< their numbers, 24 bits each
  std::uint32_t psn = 0;                   ///< of the first packet of each queue pair, 24 bits
  std::uint32_t reads = 0;                 ///< READs that it answers at once on a queue pair
  std::uint64_t address = 0;               ///< of the lent memory
  std::uint32_t rkey = 0;                  ///< of the lent memory
  std::uint64_t bytes = 0;                 ///< of the lent memory
  std::uint64_t seed = 0;                  ///< of the pattern of what it sends
};

template <EitherConst<PeerOffer> T, class Visit>
void each_field(T& offer, Visit visit) {
  visit("version", offer.version);
  visit("operation", offer.operation);
  visit("state", offer.state);
  visit("active_mtu", offer.active_mtu);
  visit("gid", offer.gid);
  visit("queue_pairs", offer.queue_pairs);
  visit("psn", offer.psn);
  visit("reads", offer.reads);
  visit("address", offer.address);
  visit("rkey", offer.rkey);
  visit("bytes", offer.bytes);
  visit("seed", offer.seed);
}

/// The second line: its queue pairs take packets, and what is sent to it has a place. Before both
/// ends have said so, none moves a byte.
struct PeerConnected {
  static constexpr std::string_view kStep = "connected";
  std::uint32_t path_mtu = 0;  ///< bytes; the smaller of the two active MTUs
};

template <EitherConst<PeerConnected> T, class Visit>
void each_field(T& connected, Visit visit) {
  visit("path_mtu", connected.path_mtu);
}

/// Each 250 ms of kWrite and kRead. It is for who started this end; the other passes it over.
struct PeerProgress {
  static constexpr std::string_view kStep = "progress";
  double bits_per_second = 0;  ///< since the line before it
  std::uint64_t bytes = 0;     ///< moved so far
};

template <EitherConst<PeerProgress> T, class Visit>
void each_field(T& progress, Visit visit) {
  visit("bits_per_second", progress.bits_per_second);
  visit("bytes", progress.bytes);
}

/// The last line: how far this end came, and what its own operation showed.
struct PeerReport {
  static constexpr std::string_view kStep = "report";
  PeerOperation operation = PeerOperation::kVerify;
  std::string state;             ///< of its port: "active", "down", …
  std::uint32_t active_mtu = 0;  ///< of its port, bytes
  std::uint32_t path_mtu = 0;    ///< negotiated, bytes; 0: it did not come that far
  std::uint32_t gid_index = 0;   ///< of this moment
  bool registered = false;       ///< memory could be registered, without CAP_IPC_LOCK
  bool verified = false;         ///< kVerify: its WRITE and READ came whole, and its SEND arrived
  bool received = false;         ///< kVerify: the SEND of the other end came whole
  double latency_p50_us = 0;     ///< kVerify: an 8-byte WRITE, from posting it to its completion
  double latency_p99_us = 0;     ///< the same WRITE
  std::uint32_t queue_pairs = 0;
  std::uint64_t bytes = 0;            ///< moved by kWrite or kRead
  double seconds = 0;                 ///< from the first post to the last completion
  double bits_per_second = 0;         ///< `bytes` over `seconds`
  std::optional<std::string> failed;  ///< the call or the check that ended it
  int error_number = 0;               ///< its errno, or 0
  std::string why;                    ///< in words of this end
  std::string other_why;              ///< in words of the other end: ASCII, cut
};

template <EitherConst<PeerReport> T, class Visit>
void each_field(T& report, Visit visit) {
  visit("operation", report.operation);
  visit("state", report.state);
  visit("active_mtu", report.active_mtu);
  visit("path_mtu", report.path_mtu);
  visit("gid_index", report.gid_index);
  visit("registered", report.registered);
  visit("verified", report.verified);
  visit("received", report.received);
  visit("latency_p50_us", report.latency_p50_us);
  visit("latency_p99_us", report.latency_p99_us);
  visit("queue_pairs", report.queue_pairs);
  visit("bytes", report.bytes);
  visit("seconds", report.seconds);
  visit("bits_per_second", report.bits_per_second);
  visit("failed", report.failed);
  visit("error_number", report.error_number);
  visit("why", report.why);
  visit("other_why", unless_empty(report.other_why));
}

using PeerLine = std::variant<PeerOffer, PeerConnected, PeerProgress, PeerReport>;

/// The line, with its newline.
template <class Line>
std::string peer_line_text(const Line& line) {
  auto document = TextJsonWriter::write(line);
  document["step"] = Line::kStep;
  return json_text(document) + '\n';
}

/// A line without its newline, from another machine: any bytes. Every number of an offer is in the
/// range that its place in a queue pair has. Keys that it does not know are passed over.
/// Errors: kInvalid, in words that hold none of the line's bytes; kUnsupported: another version.
Result<PeerLine> parse_peer_line(const std::string& line);

/// Whether these two can be joined: of one task, with as many queue pairs, and as much memory lent.
/// Errors: kInvalid, in words that hold nothing of the other's text.
Result<> check_offers(const PeerOffer& own, const PeerOffer& other);

/// Bytes of another machine as they come, in lines.
class PeerLineBuffer {
 public:
  void add(std::string_view bytes) { lines_.add(bytes); }
  /// The next whole line, without its newline; empty: none yet. Call it after each `add` until
  /// there is none. Errors: kInvalid: it is longer than kLongestPeerLine.
  Result<std::optional<std::string>> next();

 private:
  LineBuffer lines_{kLongestPeerLine - 1};
};

}  // namespace spark::protocol
