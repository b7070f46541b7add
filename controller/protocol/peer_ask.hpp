#pragma once
// What one spark-peers asks another for, over TCP on the rail: a line of JSON, and a line that
// answers. After the answer to `rdma` and to `bench`, the lines of both ends' spark-verbs-probe
// follow, both ways. After that to `board`, what is on the asker's board (board.hpp), and then what
// is on the other's, a line each.
//
// Nodes with a key begin with the question "key", whose answer has a nonce as the question has. All
// lines after these two have a MAC before them (helpers/peers/lines.hpp).

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/fields.hpp"
#include "protocol/node_signs.hpp"
#include "protocol/peer_probe.hpp"

namespace spark::protocol {

/// Grows when a node of before cannot take part in what a newer one asks for.
inline constexpr std::uint32_t kPeersVersion = 1;

/// Of one measurement.
inline constexpr std::uint32_t kMostBenchSeconds = 30;
/// The end that is asked for `bench` may wait so long until another run is over, and so long again
/// until its rail is free, and answers then.
inline constexpr std::chrono::seconds kBenchPatience{5};

/// What a `bench` asks of the other end.
struct BenchAsk {
  std::string run;  ///< the same in all questions of one run
  PeerOperation operation = PeerOperation::kNone;
  std::uint32_t seconds = 0;      ///< of each end's WRITE or READ, 1 to kMostBenchSeconds
  std::uint32_t queue_pairs = 1;  ///< 1 to kMostQueuePairs
  bool beside_jobs = false;       ///< also where a job uses the device
  bool is_last = false;           ///< of the run
  bool operator==(const BenchAsk&) const = default;
};

template <EitherConst<BenchAsk> T, class Visit>
void each_field(T& ask, Visit visit) {
  visit("run", ask.run);
  visit("operation", ask.operation);
  visit("seconds", ask.seconds);
  visit("queue_pairs", ask.queue_pairs);
  visit("beside_jobs", ask.beside_jobs);
  visit("is_last", may_lack(ask.is_last));
}

struct PeerAsk {
  /// "details", "record", "rdma", "bench", "board", "key", or "hindered": what keeps it from asking
  /// for rdma; that has no answer.
  std::string what;
  std::string node;     ///< who asks
  std::string boot_id;  ///< of who asks, for a proof
  std::uint32_t version = kPeersVersion;
  std::string kind;  ///< of "hindered", as PeerAnswer has it
  std::string why;   ///< of "hindered": a clause
  std::optional<BenchAsk> bench;
  std::string nonce;  ///< of "key": 32 random bytes, as base64
  /// Of "record", by the clock of who answers as far as the asker knows it; empty: no sign is asked
  /// for.
  std::optional<Span> window;
  bool operator==(const PeerAsk&) const = default;
};

template <EitherConst<PeerAsk> T, class Visit>
void each_field(T& ask, Visit visit) {
  visit("ask", ask.what);
  visit("node", ask.node);
  visit("boot_id", may_lack(ask.boot_id));
  visit("version", ask.version);
  visit("kind", may_lack(ask.kind));
  visit("why", may_lack(ask.why));
  visit("bench", unless_empty(ask.bench));
  visit("nonce", unless_empty(ask.nonce));
  visit("window", unless_empty(ask.window));
}

/// Of a version that was not asked so when it was made.
inline constexpr std::string_view kNoSuchQuestion = "this version knows no such question";

/// Before the lines of the probe.
struct PeerAnswer {
  std::string refused;  ///< why it does not take part: a clause; empty: it does
  /// The kind of that, as RdmaHindrance names it: from the side of who answers. A later version may
  /// have others.
  std::string kind;
  std::string nonce;  ///< of "key", as that of the question
  bool operator==(const PeerAnswer&) const = default;
};

template <EitherConst<PeerAnswer> T, class Visit>
void each_field(T& answer, Visit visit) {
  visit("refused", answer.refused);
  visit("kind", may_lack(answer.kind));
  visit("nonce", unless_empty(answer.nonce));
}

}  // namespace spark::protocol
