#pragma once
// paths: what the daemon and the verbs both use.

namespace spark::protocol {

/// What is remembered across reboots.
inline constexpr const char* kStateDirectory = "/var/lib/spark-reconcile";
inline constexpr const char* kRunDirectory = "/run/spark-reconcile";
/// What an apply needs while it runs. The daemon does not watch it: each correction writes here.
inline constexpr const char* kApplyDirectory = "/run/spark-reconcile/apply";
/// The last file that was in force.
inline constexpr const char* kLastGoodFile = "/var/lib/spark-reconcile/last-good.yaml";
/// SHA-256 of the text that belongs there, and, while it is replaced, of the one before: a line
/// each.
inline constexpr const char* kLastGoodDigests = "/var/lib/spark-reconcile/last-good.sha256";
/// The file from git that is applied and not good yet.
inline constexpr const char* kTrialFile = "/var/lib/spark-reconcile/trial.json";
/// Files from git that failed here.
inline constexpr const char* kRolloutSkips = "/var/lib/spark-reconcile/rollout-skips.json";
inline constexpr const char* kBadFiles = "/var/lib/spark-reconcile/bad-files.json";
/// What `bench` measured last.
inline constexpr const char* kBenchFile = "/var/lib/spark-reconcile/bench.json";
inline constexpr const char* kPauseFile = "/var/lib/spark-reconcile/pause.json";
/// Of which alerts nobody is told.
inline constexpr const char* kMutesFile = "/var/lib/spark-reconcile/mutes.json";
/// Steps of the file in force that wait until no job uses what they disturb, in this boot.
inline constexpr const char* kDisturbWaitsFile = "/var/lib/spark-reconcile/disturb-waits.json";
inline constexpr const char* kLedgerName = "/ledger.json";
/// The beginning of the path of a volatile journal, which lasts until the next reboot.
inline constexpr const char* kVolatileJournals = "/run/spark-reconcile/apply/journal-";
/// The cluster file, where nobody names another.
inline constexpr const char* kDefaultFile = "/etc/spark-reconcile/cluster.yaml";
/// Held by the process that changes this machine, for as long as it does.
inline constexpr const char* kLockFile = "/run/spark-reconcile/apply/lock";
/// Held by the daemon as long as it lives.
inline constexpr const char* kDaemonLockFile = "/run/spark-reconcile/daemon.lock";
/// What the daemon knows, replaced after each pass, for all to read.
inline constexpr const char* kStatusFile = "/run/spark-reconcile/status.json";
/// What happened last on this node, for all to read while a daemon runs.
inline constexpr const char* kEventsFile = "/run/spark-reconcile/events.json";
/// The same, kept across reboots.
inline constexpr const char* kKeptEventsFile = "/var/lib/spark-reconcile/events.json";
/// The status as metrics, for node_exporter's textfile collector.
inline constexpr const char* kMetricsFile = "/run/spark-reconcile/metrics.prom";
/// The environment of jobs: read by systemd, by container engines and by sh.
inline constexpr const char* kNcclEnvironment = "/run/spark-reconcile/nccl.env";

}  // namespace spark::protocol
