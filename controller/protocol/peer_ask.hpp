#pragma once
// What one spark-peers asks another for, over TCP on the rail: a line of JSON, and a line that
// answers. After the answer to `rdma`, the lines of both ends' spark-verbs-probe
// follow, both ways.

#include <cstdint>
#include <string>

#include "base/fields.hpp"

namespace spark::protocol {

/// Grows when a node of before cannot take part in what a newer one asks for.
inline constexpr std::uint32_t kPeersVersion = 1;

struct PeerAsk {
  /// "details", "rdma", or "hindered": what keeps it from asking for rdma; that has no answer.
  std::string what;
  std::string node;     ///< who asks
  std::string boot_id;  ///< of who asks, for a proof
  std::uint32_t version = kPeersVersion;
  std::string kind;  ///< of "hindered", as PeerAnswer has it
  std::string why;   ///< of "hindered": a clause
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
