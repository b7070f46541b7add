#pragma once
// DaemonStatus: what the daemon last wrote about itself, as verbs show it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/node_here.hpp"
#include "gate/common/facts.hpp"
#include "host/hardware_signs.hpp"
#include "host/host.hpp"

namespace spark::cli {

/// By link; a rail that is not in it is not proven.
using CablesShown = std::map<std::string, gate::Cabling>;

struct DaemonStatus {
  std::string node;  ///< of the file in force; empty: none is
  gate::Verdict verdict = gate::Verdict::kUnknown;
  std::string why;                  ///< where it is ready, what the gate found
  std::string refused;              ///< why the file is not in force; empty: it is
  std::string paused;               ///< until when and why; empty: it is not
  std::string hangs;                ///< why nothing here counts any more; empty: it does
  bool released = false;            ///< the node was released; `why` says when and by whom
  std::vector<std::string> source;  ///< what is said of the followed repository; empty: none is
  bool file_waits = false;          ///< a new file comes into force when the release ends
  std::vector<std::string>
      left_alone;  ///< resources that are contested, or whose correction failed
  std::vector<node_state::MuteRecord> muted;  ///< of which the daemon tells nobody
  std::string generated_at;                   ///< UTC
  std::string file;                           ///< path of the cluster file that it follows
  std::string digest;                         ///< of the file in force
  CablesShown cables;
  std::vector<host::HardwareSign> hardware;  ///< faults alone
};

DaemonStatus daemon_status_of(const NodeHere& here);

/// The file can be used, and this machine is none of its nodes: what plans here says why.
bool is_no_node_of_its_file(const DaemonStatus& word);

/// As `node_here`.
Result<std::optional<DaemonStatus>> read_last_status(host::Host& host);

/// The lock file that the daemon below that root holds as long as it lives, as this process sees
/// it (host::is_held).
std::string daemon_lock(const std::string& root);

/// What the daemon's gate saw last; `digest`: only with that file in force. Empty: nothing of the
/// kind is known.
std::optional<gate::GateReport> read_last_gate(host::Host& host,
                                               const std::optional<std::string>& digest = {});

/// The drift, and the remedy on lines of its own:
/// "mtu eth0: contested until …: corrected 3 times …".
std::string drift_text(const node_state::Drift& drift);

/// Lines for `status`, each with its line feed: the verdict, and what is wrong with nothing.
std::string daemon_text(const DaemonStatus& word);

}  // namespace spark::cli
