#pragma once
// Agenda: what the daemon does next, and when. It is told what happened, and at what time; it does
// nothing itself and reads no clock. The daemon asks it for the next task, carries that out beside
// the loop, and says how it ended.

#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

#include "daemon/common/backoff.hpp"
#include "daemon/common/triggers.hpp"

namespace spark::daemon {

/// Corrects what netlink told of, from netlink's own tables: it does not wait for the rest of a
/// pass.
struct CorrectNetwork {};

/// Reads everything again, and corrects what differs.
struct MakePass {
  Triggers triggers;
  /// The first pass of a boot waits for the network and not for a volume: it makes no connection to
  /// a target and no mount. The next one, which follows at once, does.
  bool network_alone = false;
};

/// Observes the gate, beside the worker: a peer that does not answer keeps no correction waiting.
struct ObserveGate {
  /// Measures the bandwidth too, which takes a second of the port.
  bool deeply = false;
};

/// Takes in what was observed of the gate. It is given only where nothing was changed meanwhile:
/// else the look saw some of the node as it was before, and the gate is observed again.
struct TakeVerdict {};

/// Looks whether the jobs for whose end something waits are still there.
struct ObserveUsers {};

/// Looks at the rails, since a job uses them or may have begun to.
struct ObserveJobs {};

/// Writes the alerts and the events to disk.
struct KeepRecords {};

/// Looks at the alerts again, since one of them is due: on the loop, and at once.
struct ReviewAlerts {};

using Task = std::variant<CorrectNetwork, MakePass, ObserveGate, TakeVerdict, ObserveUsers,
                          ObserveJobs, KeepRecords, ReviewAlerts>;

/// One task at a time is the worker's: all but ObserveGate, which runs beside them, and
/// ReviewAlerts. Every time is the caller's steady clock.
class Agenda {
 public:
  using Steady = std::chrono::steady_clock;
  using Time = Steady::time_point;
  using Duration = Steady::duration;

  /// The slow look, which finds what nobody tells of, is first due 60 s after `start`.
  explicit Agenda(Time start);

  // --- what happened

  /// An event asks for a pass. That of "netlink" asks for a correction of the network as well;
  /// "peers", that spark-peers knows something new, for a look at the gate alone, and "verbs", that
  /// an RDMA device was opened, for one at the jobs alone; however often these come, every 5 s at
  /// most.
  void reported(std::string_view source, Time now);
  /// The alerts or the events may differ from those on disk.
  void records_changed() { keep_records_ = true; }
  /// One of the alerts is due then; empty: none is.
  void alerts_due(std::optional<Time> at) { review_at_ = at; }
  /// Nothing more begins. What is under way may still end.
  void stop() { stopping_ = true; }

  // --- how a task ended

  void corrected(bool changed, Time now);
  struct PassResult {
    bool changed = false;      ///< something was changed, or tried
    bool links_moved = false;  ///< a link is not as before the pass
    bool waits = false;        ///< something waits for the end of a job
    bool gate_due = false;     ///< something waits for a look at the gate
    /// When to look again even if no event comes; empty: at no certain time.
    std::optional<Duration> again_in;
  };
  void passed(const PassResult& result, Time now);
  void gate_observed();
  /// `deeper`: something that only a deep look measures was failing. `again_in`: empty, or
  /// later than usual: as usual.
  void verdict_taken(bool deeper, std::optional<Duration> again_in, Time now);
  /// `changed`: the users are others than in the last pass, so another pass is due.
  void users_seen(bool changed, Time now);
  /// Also after a verdict was taken, since that looks at the rails too. `is_due`: a job is there,
  /// so another look is due.
  void jobs_seen(bool is_due, Time now);
  void records_kept() { at_work_since_.reset(); }

  // --- what is next

  /// The task to begin now, which counts as begun; empty: none, before `wake_at` or an event.
  std::optional<Task> next(Time now);
  /// When to ask again even if nothing happens; to be asked after `next` had nothing.
  [[nodiscard]] Time wake_at() const;
  /// A first pass has ended.
  [[nodiscard]] bool had_pass() const { return had_pass_; }
  /// A task of the worker, or a look at the gate, has been under way for longer than any takes.
  [[nodiscard]] bool hangs(Time now) const;

 private:
  struct GateObservation {
    Time since;
    bool deeply = false;
    bool is_over = false;
  };

  void report_what_is_due(Time now);
  std::optional<Task> begin(Task task, Time now);
  MakePass next_pass();
  void gate_within(Duration time, Time now);

  Triggers pending_;
  bool network_changed_ = false;  ///< since the last look at it
  bool corrected_ = false;        ///< since the last pass
  bool had_pass_ = false;
  bool keep_records_ = false;
  bool stopping_ = false;
  bool measure_ = true;  ///< the bandwidth, when the gate is observed next
  Pacing passes_;
  Pacing corrections_;
  Time slow_look_at_;
  std::optional<Time> again_at_;
  std::optional<Time> review_at_;
  std::optional<Time> users_at_;  ///< empty: nothing waits for them
  std::optional<Time> gate_due_;
  std::optional<Time> peers_due_;  ///< the next look that "peers" asked for
  Time peers_looked_at_;           ///< the last one
  std::optional<Time> jobs_at_;    ///< empty: no job is there, and none may have begun
  bool look_for_jobs_again_ = false;
  Time jobs_looked_at_;  ///< the last look for its own sake
  std::optional<GateObservation> gate_look_;
  Time changed_at_;                    ///< the last correction
  std::optional<Time> at_work_since_;  ///< the worker has a task
};

}  // namespace spark::daemon
