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
inline constexpr const char* kPauseFile = "/var/lib/spark-reconcile/pause.json";
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

}  // namespace spark::protocol
