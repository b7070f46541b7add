#pragma once
// What one spark-peers asks another for, over TCP on the rail: a line of JSON, and a line that
// answers. After the answer to `rdma` and `bench`, the lines of both ends' spark-verbs-probe
// follow, both ways.

#include <cstdint>
#include <string>

#include "base/fields.hpp"

namespace spark::protocol {

/// Grows when a node of before cannot take part in what a newer one asks for.
inline constexpr std::uint32_t kPeersVersion = 1;

struct PeerAsk {
  std::string what;     ///< "details", "rdma" or "bench"
  std::string node;     ///< who asks
  std::string boot_id;  ///< of who asks, for a proof
  std::uint32_t version = kPeersVersion;
  std::string operation;      ///< of a bench, of the end that is asked: "write", "read" or "none"
  std::uint32_t seconds = 0;  ///< of a bench
  std::uint32_t queue_pairs = 0;  ///< of a bench
  bool operator==(const PeerAsk&) const = default;
};

template <EitherConst<PeerAsk> T, class Visit>
void each_field(T& ask, Visit visit) {
  visit("ask", ask.what);
  visit("node", ask.node);
  visit("boot_id", may_lack(ask.boot_id));
  visit("version", ask.version);
  visit("operation", may_lack(ask.operation));
  visit("seconds", may_lack(ask.seconds));
  visit("queue_pairs", may_lack(ask.queue_pairs));
}

/// Before the lines of the probe.
struct PeerAnswer {
  std::string refused;  ///< why it does not take part: a clause; empty: it does
  /// The kind of that, as RdmaHindrance names it: from the side of who answers. A later version may
  /// have others.
  std::string kind;
  bool operator==(const PeerAnswer&) const = default;
};

template <EitherConst<PeerAnswer> T, class Visit>
void each_field(T& answer, Visit visit) {
  visit("refused", answer.refused);
  visit("kind", may_lack(answer.kind));
}

}  // namespace spark::protocol
