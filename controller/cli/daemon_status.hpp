#pragma once
// DaemonStatus: what the daemon last wrote about itself, for verbs that show it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/muted_alerts.hpp"
#include "gate/common/facts.hpp"
#include "host/files.hpp"

namespace spark::cli {

/// What the daemon found at the other end of a rail's cable.
struct CableShown {
  std::string state = "not_proven";  ///< "proven", "not_proven", "wrong"
  std::optional<std::string> by;     ///< who answered, or where the cable is: "spark2:0"
};

/// By link; a rail that is not in it is not proven.
using CablesShown = std::map<std::string, CableShown>;

/// A sign of a fault of the hardware.
struct HardwareFaultShown {
  std::string name;     ///< "errors"
  std::string subject;  ///< link or PCI function; empty: the node
  std::string what;
  std::string remedy;
};

struct DaemonStatus {
  std::string node;                  ///< of the file in force; empty: none is
  std::string verdict;               ///< "ready", "not ready", "waiting", "unknown"
  std::string why;                   ///< empty where it is ready
  std::string refused;               ///< why the file is not in force; empty: it is
  std::string paused;                ///< until when and why; empty: it is not
  bool released = false;             ///< the node was released; `why` says when and by whom
  std::vector<std::string> source;   ///< what is said of the followed repository; empty: none is
  bool file_waits = false;           ///< a new file comes into force when the release ends
  std::vector<std::string> rollout;  ///< for whom a changed file waits, and who is skipped
  std::vector<std::string>
      left_alone;  ///< resources that are contested, or whose correction failed
  /// Changes that wait for the end of a job, each a line with its reasons below.
  std::vector<std::string> waits;
  std::vector<MutedAlert> muted;  ///< of which the daemon tells nobody
  std::string generated_at;       ///< UTC
  std::string file;               ///< path of the cluster file that it follows
  std::string digest;             ///< of the file in force
  CablesShown cables;
  std::vector<HardwareFaultShown> hardware;  ///< faults alone
};

/// The file can be used, and this machine is none of its nodes: what plans here says why.
bool is_no_node_of_its_file(const DaemonStatus& word);

/// The daemon's status as JSON; null: no daemon has written since the machine booted, or the file
/// is no JSON object. Errors: those of the files port.
Result<nlohmann::json> read_daemon_status(host::Files& files);

/// Empty: no daemon has written since the machine booted, or one of another version.
/// Errors: those of the files port.
Result<std::optional<DaemonStatus>> read_last_status(host::Files& files);

/// The lock file that the daemon below that root holds as long as it lives, as this process sees
/// it (host::is_held).
std::string daemon_lock(const std::string& root);

/// What the daemon's gate saw last; `digest`: only with that file in force. Empty: nothing of the
/// kind is known.
std::optional<gate::GateReport> read_last_gate(host::Files& files,
                                               const std::optional<std::string>& digest = {});

/// One drift of the status, and the remedy on lines of its own:
/// "mtu eth0: contested until …: corrected 3 times …".
std::string drift_text(const nlohmann::json& drift);

/// Lines for `status`, each with its line feed.
std::string daemon_text(const DaemonStatus& word);

}  // namespace spark::cli
