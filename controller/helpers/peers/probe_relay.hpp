#pragma once
// ProbeRelay: one spark-verbs-probe of this node, and a connection to the peer that has the other.
// Each line of the one goes to the other as it is (docs/decisions/0066).

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "helpers/peers/peer_lines.hpp"
#include "protocol/bench.hpp"
#include "protocol/peer_probe.hpp"

namespace spark::helpers {

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
