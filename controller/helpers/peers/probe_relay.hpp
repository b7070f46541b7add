#pragma once
// ProbeRelay: one spark-verbs-probe of this node, and a connection to the peer that has the other.
// Each line of the one goes to the other as it is (docs/decisions/0066).

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "helpers/peers/lines.hpp"
#include "protocol/bench.hpp"
#include "protocol/peer_ask.hpp"
#include "protocol/peer_probe.hpp"

namespace spark::helpers {

// The words that start this node's spark-verbs-probe for a task that it shares with a peer's.

/// Of a proof: for both ends together.
inline constexpr std::chrono::seconds kProofTime{3};
/// Beside the seconds of a measurement: to connect the two ends, and until what is under way at the
/// end has come. A ConnectX takes milliseconds, an emulated link that loses packets some seconds.
inline constexpr std::chrono::seconds kBesideBench{10};
/// Behind the probes' deadline: until an end that says nothing more is given up.
inline constexpr std::chrono::seconds kRelayGrace{1};

/// For a proof. Errors: there is no program, or it cannot be started.
Result<std::vector<std::string>> proof_words(const protocol::RailRoute& route);
/// For a measurement. Errors: the same.
Result<std::vector<std::string>> bench_words(const protocol::RailRoute& route,
                                             const protocol::BenchAsk& ask);
/// How long the probes of a measurement may take.
std::chrono::seconds bench_time(const protocol::BenchAsk& ask);

/// What both ends said last.
struct ProbeReports {
  std::optional<protocol::PeerReport> ours;
  std::optional<protocol::PeerReport> theirs;
  std::string why;  ///< why it ended before both had reported; empty: both have
};

/// Called with what an end has moved so far.
using OnProgress =
    std::function<void(protocol::BenchEnd end, const protocol::PeerProgress& progress)>;

/// What a relay may be given beside its two ends.
struct RelayHooks {
  OnProgress on_progress;
  int stop = -1;  ///< a descriptor that becomes readable when the relay is to end at once
};

/// Starts `words` and relays lines until both have reported, or one end is gone, or `end` has come,
/// or it is stopped; the probe is killed then, and waited for up to a second. SIGPIPE is ignored.
/// Errors: it could not be started; kBusy: too many earlier ones did not end when they were killed.
Result<ProbeReports> relay_probe(const std::vector<std::string>& words, PeerLines& peer,
                                 SteadyTime end, const RelayHooks& hooks);

}  // namespace spark::helpers
