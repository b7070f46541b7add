#pragma once
// NodeState: all that the daemon knows of this node, as one value. The page, status.json, the
// metrics and the alerts are functions of it.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "all_nodes/progress.hpp"
#include "apply/recovery.hpp"
#include "base/moment.hpp"
#include "cluster/rollout.hpp"
#include "cluster/shape.hpp"
#include "gate/gate.hpp"
#include "jobs/followed.hpp"
#include "kinds/common/kind.hpp"
#include "node_state/cluster_state.hpp"
#include "node_state/hardware_state.hpp"
#include "plan/rail_use.hpp"
#include "plan/step.hpp"
#include "plan/wanted.hpp"
#include "protocol/peers.hpp"
#include "protocol/source.hpp"
#include "state/by_hand.hpp"
#include "state/in_force.hpp"
#include "state/pause.hpp"

namespace spark::node_state {

/// The file that is in force, and the one that was refused.
struct FileState {
  std::string path;
  std::string digest;  ///< SHA-256 of what is in force; empty: nothing is
  Moment since;        ///< when that came into force
  /// Why the file was refused: the findings as `validate` prints them, with file, line and column.
  /// The last good file stays in force. Empty: the file was not refused.
  std::string refused;
  Moment refused_since;
  /// The first of the findings, on one line.
  std::string refused_first;
  /// The file is good, and comes into force when the release ends.
  bool waits = false;
  /// The file is good, and waits for `apply --all`, or for `apply`.
  bool waits_for_all = false;
};

/// The repository that this node follows, and how far it has come.
struct SourceState {
  std::string url;
  std::string branch;
  std::string path;
  /// The commit that was judged good last; empty: none yet. Its file may wait, be on trial or be
  /// refused by this node: `digest` tells which it is.
  std::string commit;
  std::string digest;     ///< of that commit's file
  std::string subject;    ///< of its message
  std::string principal;  ///< who signed it; empty: `verify: none`
  std::string tag;        ///< `verify: tag`; else empty
  std::int64_t time = 0;  ///< of the commit, seconds since 1970
  /// Why nothing newer is taken; its `since` is set.
  std::optional<protocol::SourceFault> refused;
  std::optional<protocol::SourceFault> waits;  ///< it is judged again by itself
  std::optional<protocol::SourceFault> fetch;  ///< how the last fetch failed
  /// Why the settings or the judgement cannot be used; empty: they can.
  std::string error;
  Moment fault_since;               ///< since when one of the three is as it is
  bool on_trial = false;            ///< applied; nothing that held before may fail
  std::string trial_waits;          ///< what keeps the trial from ending; empty: time alone
  std::vector<state::BadFile> bad;  ///< files that failed here, the oldest first
};

/// The node was released: the daemon observes everything, and sets nothing.
struct Released {
  std::string at;  ///< UTC; empty: not known
  std::string by;  ///< user; empty: not known
};

/// A resource that is not as the file says, and what came of it so far.
struct Drift {
  enum class State : std::uint8_t {
    kDiffers,    ///< seen, and not corrected: by policy, or not yet (`due`)
    kFailed,     ///< a correction failed
    kContested,  ///< corrected again and again: someone else writes it; left alone for a while
  };
  std::string kind;
  std::string key;
  State state = State::kDiffers;
  std::optional<std::string> have;  ///< empty: nothing is there
  std::optional<std::string> want;  ///< empty: nothing should be there
  Moment since;
  std::string why;    ///< of a failure; of a contest, who else writes it, as far as it can be known
  Moment held_until;  ///< contested: no correction before then
  std::string line;   ///< "cluster.yaml:12:5", or empty
  std::string remedy;  ///< what to do about it; empty where nothing more is known
  bool due = false;    ///< differs: the next pass corrects it
  plan::OnLink on;
};

/// One change that was made, or tried.
struct ChangeRecord {
  enum class Cause : std::uint8_t {
    kFile,   ///< the file asks for something else than before
    kDrift,  ///< someone else had changed it
    kBoot,   ///< the first pass: what does not outlive a reboot
    kLink,   ///< its device came, or the device's carrier changed
    /// A pause or a release has ended, a file has come into force, or somebody resumed or applied
    /// by hand: what was left alone until then is set up.
    kResumed,
  };
  Moment at;
  Cause cause = Cause::kDrift;
  std::string kind;
  std::string key;
  std::optional<std::string> before;  ///< empty: nothing was there
  std::optional<std::string> after;   ///< empty: it was removed
  std::string failure;                ///< empty: it was made and read back
  std::chrono::nanoseconds took{};
  bool overwritten = false;  ///< the failure: someone else changed it again before it was read back
  /// Of drift: who last changed an address of the link, which is all that the kernel names:
  /// "NetworkManager (process 412)". Empty: not known.
  std::string writer;
  plan::OnLink on;
};

/// A wanted resource that is skipped for now.
struct SkippedRecord {
  std::string kind;
  std::string key;
  kinds::Skipped::Why why = kinds::Skipped::Why::kUnknown;
  std::string id;  ///< SR-<AREA>-NNN
  std::string reason;
  plan::OnLink on;
};

/// A step of the file in force that waits until nobody uses the rails that it disturbs: no drift.
struct DisturbWait {
  std::string kind;
  std::string key;
  std::optional<std::string> have;  ///< empty: nothing is there
  std::optional<std::string> want;  ///< empty: nothing should be there
  std::string line;                 ///< "cluster.yaml:12:5", or empty
  Moment since;
  std::vector<plan::NamelessUse> uses;  ///< of the rails that it waits for
  std::string asked;  ///< why a program of ask.d lets it wait; empty: none was asked
  plan::OnLink on;
};

using cluster::RolloutWait;

/// A good file that waits for nodes before this one in the order of its roll-out.
struct RolloutHeld {
  std::string digest;  ///< of that file
  Moment since;
  std::vector<RolloutWait> waits;
  /// Nodes for which it would wait, but for `sync --skip`: "spark3: in repair".
  std::vector<std::string> skipped;
};

/// One rail or other link, for the drawing.
struct LinkRecord {
  std::string name;
  std::optional<int> cage;
  std::optional<int> rail;
  bool present = false;
  bool up = false;
  bool carrier = false;
  std::uint32_t mtu = 0;               ///< bytes
  std::optional<std::uint32_t> speed;  ///< Mb/s
  std::vector<std::string> addresses;  ///< "192.0.2.11/24"; those that the file asks for first
  std::string device;                  ///< RDMA device, or empty
  int master = 0;                  ///< index of the bridge or bond that it is a port of; 0: none
  std::vector<std::string> peers;  ///< names of the nodes at the other end
  std::string segment;             ///< of the switch; empty for a cable
  /// Who answered at the other end; empty where the file has nobody there.
  std::optional<gate::Cabling> cabling;
  bool operator==(const LinkRecord&) const = default;
};

/// A RoCE v2 GID whose index changed: a program that has run since before hangs.
struct GidMove {
  Moment at;
  std::string link;
  std::string device;
  std::string ip;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// What this program keeps on disk was removed or changed by somebody else.
struct StateLoss {
  Moment at;
  std::string what;  ///< what was found, what was written again, what is lost
};

/// A receiver of alerts, and whether it can be reached.
struct SinkState {
  std::string name;   ///< "alertmanager http://127.0.0.1:9093"
  std::string error;  ///< of the last try; empty: it went well, or there was none
  Moment failing_since;
  std::uint64_t failures = 0;   ///< tries in a row that failed
  std::uint64_t delivered = 0;  ///< since the daemon started
  /// Since the daemon started: what the bounded queue had no place for, or nobody took.
  std::uint64_t dropped = 0;
};

/// A mute in force, and what it is for.
struct MuteRecord {
  state::Mute mute;
  /// How many of its alerts were raised when it began; 0: none, and it covers what comes. Empty:
  /// they are not counted yet.
  std::optional<std::uint64_t> subjects;
  std::uint64_t raised = 0;  ///< of its alerts now

  /// The same mute, with the same counts. Each reader computes its moments again.
  bool operator==(const MuteRecord& other) const {
    return mute.id == other.mute.id && mute.node == other.mute.node &&
           mute.asked == other.mute.asked && subjects == other.subjects && raised == other.raised;
  }
};

/// Since the daemon started; they only grow.
struct Counters {
  std::uint64_t passes = 0;
  std::uint64_t failed_passes = 0;                   ///< that could not look at the host
  std::map<std::string, std::uint64_t> corrections;  ///< by kind
  std::map<std::string, std::uint64_t> drifts;       ///< corrections of others' changes, by kind
  std::map<std::string, std::uint64_t> failures;     ///< of corrections, by kind
  std::map<std::string, std::uint64_t> triggers;     ///< what asked for a pass, by source
  std::uint64_t resyncs = 0;                         ///< after an overrun socket
};

/// How the node stood, until the verdict after it.
struct VerdictSpan {
  gate::Verdict verdict = gate::Verdict::kUnknown;
  Moment since;
};

/// Somebody changes a resource again and again.
constexpr std::uint64_t kRecurringTimes = 3;

struct NodeState {
  std::string version;  ///< of the program
  std::string node;     ///< empty: no file has been in force yet
  std::string cluster;
  Moment started;
  FileState file;
  std::optional<SourceState> source;  ///< empty: the file is put on this machine by hand
  std::optional<state::Paused> paused;
  std::optional<apply::UnfinishedApply> unfinished;  ///< not one that waits for its confirmation
  std::optional<Released> released;
  std::optional<RolloutHeld> rollout;  ///< empty: no file waits for other nodes
  /// The last offer of one file for all nodes that this one knows of; empty: there was none.
  std::optional<all_nodes::Progress> all_nodes;
  /// The public ssh host keys of other nodes, as each says of its own, signed with a key that is
  /// trusted here; by name.
  std::map<std::string, std::vector<std::string>> host_keys;
  /// In which order groups of nodes take a changed file. Of the file that waits, or else of the
  /// file in force; empty: it asks for none.
  std::vector<std::vector<std::string>> rollout_groups;

  /// Empty: it was not looked at yet.
  std::optional<gate::GateReport> gate;
  Moment gate_at;
  gate::Verdict verdict = gate::Verdict::kUnknown;
  Moment verdict_since;
  /// The last one and those before it, the newest first: of the last kVerdictsKept, and since the
  /// daemon started; at most kMostVerdicts.
  std::deque<VerdictSpan> verdicts;

  std::vector<Drift> drifts;  ///< by kind and key
  /// So many corrections of drift of a resource within a few hours are an alert; empty: none is.
  std::optional<std::uint64_t> drift_alert_at = kRecurringTimes;
  std::vector<DisturbWait> disturb_waits;
  /// After so long a step that waits is an alert; empty: never.
  std::optional<std::chrono::milliseconds> disturb_patience;
  std::vector<SkippedRecord> skipped;
  std::vector<std::string> refusals;  ///< why nothing at all is changed; empty: nothing hinders
  std::string pass_error;             ///< why the last pass could not look; empty: it could
  std::size_t in_sync = 0;
  std::vector<LinkRecord> links;
  std::vector<plan::RouteState> routes;  ///< of the file, as the last pass found them
  std::deque<ChangeRecord> changes;      ///< the last 20, the newest first
  Moment pass_at;                        ///< the end of the last pass
  std::chrono::nanoseconds pass_took{};
  Counters counters;

  std::deque<GidMove> gid_moves;  ///< the last 20, the newest first
  std::optional<StateLoss> loss;  ///< the last one
  std::vector<SinkState> sinks;
  std::vector<MuteRecord> mutes;  ///< those in force, in the order in which they were asked for
  std::string mutes_error;        ///< why nothing is muted; empty: the file can be read

  HardwareState hardware;
  cluster::Shape shape;  ///< of the file in force; without a node: none is
  ClusterState around;   ///< the cluster, as this node knows it
  jobs::Followed jobs;   ///< the rails, as the last look for jobs saw them

  /// `--change-id` of the last entry of the history, where that is of the file in force; empty: it
  /// has none.
  std::string change_id;
  /// For the news: the last note of an apply or a resume by hand.
  state::ByHand by_hand;
  /// For spark-peers, as far as a pass knows it.
  protocol::PeersOrder peers_order;
  /// For the Notifier: what the file of mutes asks for, also what has ended early.
  std::vector<state::Mute> mutes_asked;
};

constexpr std::size_t kMostChanges = 20;
constexpr std::size_t kMostVerdicts = 100;
constexpr std::chrono::hours kVerdictsKept{24};

inline constexpr std::array<std::string_view, 3> kDriftStates{"differs", "failed", "contested"};
constexpr const auto& names_of(Drift::State /*any*/) { return kDriftStates; }
inline constexpr std::array<std::string_view, 5> kChangeCauses{"file", "drift", "boot", "link",
                                                               "resume"};
constexpr const auto& names_of(ChangeRecord::Cause /*any*/) { return kChangeCauses; }

std::string_view name_of(Drift::State state);
/// Resources that are contested, or whose correction failed.
std::size_t count_left_alone(const NodeState& state);
std::string_view name_of(ChangeRecord::Cause cause);
/// ", by NetworkManager (process 412)", of what else than an address ", while … changed addresses
/// of the link"; empty where the writer is.
std::string writer_clause(std::string_view kind, std::string_view writer);

}  // namespace spark::node_state
