#pragma once
// The words that start this node's spark-verbs-probe for a task that it shares with a peer's.

#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "protocol/bench.hpp"
#include "protocol/peer_ask.hpp"

namespace spark::helpers {

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

}  // namespace spark::helpers
