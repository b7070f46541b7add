#pragma once
// LastMeasured: what `bench` measured last with each peer, and what it measured before where that
// was far more.

#include <optional>
#include <string>
#include <vector>

#include "host/files.hpp"
#include "state/bench_results.hpp"

namespace spark::cli {

struct LastMeasured {
  std::string peer;
  double bits = 0;  ///< a second, as bench_total
  std::string at;   ///< UTC, RFC 3339
  /// The last one that carried what such rails carry here, where this one is below half of the
  /// best. Of emulated devices there is none: their numbers say nothing about a cable.
  struct Before {
    double bits = 0;
    std::string at;
  };
  std::optional<Before> before;
};

/// Of each peer that the file still names, in the order in which they were measured. `results`: the
/// oldest first.
std::vector<LastMeasured> last_measured(const std::vector<state::BenchResult>& results,
                                        host::Files& files);

/// "98 → 12 Gb/s with spark2 since 2026-11-24T10:00:00Z", "186 Gb/s with spark2 at …".
std::string last_measured_text(const LastMeasured& measured);

}  // namespace spark::cli
