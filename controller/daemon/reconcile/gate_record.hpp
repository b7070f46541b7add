#pragma once
// GateRecord: what looks at the gate, one after another, show of this node, its links and its
// hardware.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/moment.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/reconcile/hardware_tracker.hpp"
#include "daemon/reconcile/machine.hpp"
#include "daemon/reconcile/observe_gate.hpp"
#include "daemon/reconcile/pass.hpp"
#include "host/files.hpp"

namespace spark::daemon {

class GateRecord {
 public:
  /// As NodeState has it.
  struct Part {
    std::optional<gate::GateReport> gate;
    Moment gate_at;
    std::deque<VerdictSpan> verdicts;  ///< never empty
    std::vector<LinkRecord> links;
    std::deque<GidMove> gid_moves;
    HardwareState hardware;
    ClusterState around;
  };

  explicit GateRecord(const Moment& started) { part_.verdicts.push_back({.since = started}); }
  [[nodiscard]] const Part& part() const { return part_; }

  /// A whole pass held the file with this snapshot.
  void note_links(Snapshot& snapshot);
  /// What a look shows beside its facts. What a light one leaves out counts as it was measured
  /// last.
  void note_surroundings(GateObservation& look, host::Files& files, PassOutcome& outcome);
  void note_report(gate::GateReport report, bool is_released, const Moment& now);
  void note_verdict(gate::Verdict verdict, const Moment& now);

 private:
  /// A GID that the report does not have keeps its last index, since one that comes back elsewhere
  /// has moved too.
  void note_gids(const gate::GateReport& report, const Moment& now);

  Part part_;
  /// Where the GID of a link, a device and an address stood when it was last seen.
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> gids_;
  HardwareTracker hardware_;
};

}  // namespace spark::daemon
