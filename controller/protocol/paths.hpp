#pragma once
// paths: what the daemon and the verbs both use.

namespace spark::protocol {

/// What is remembered across reboots.
inline constexpr const char* kStateDirectory = "/var/lib/spark-reconcile";
inline constexpr const char* kRunDirectory = "/run/spark-reconcile";
/// What an apply needs while it runs. The daemon does not watch it: each correction writes here.
inline constexpr const char* kApplyDirectory = "/run/spark-reconcile/apply";
/// Which file is in force: state/in_force_file.hpp.
inline constexpr const char* kInForceRecord = "/var/lib/spark-reconcile/in_force.json";
/// The last good file, for people and for 0.2.0: nothing reads it once there is a record.
inline constexpr const char* kLastGoodFile = "/var/lib/spark-reconcile/last-good.yaml";
/// This node in offers of one file for all nodes: daemon/reconcile/all_nodes.hpp.
inline constexpr const char* kAllNodesRecord = "/var/lib/spark-reconcile/all-nodes.json";
/// Nodes for which a roll-out no longer waits.
inline constexpr const char* kRolloutSkips = "/var/lib/spark-reconcile/rollout-skips.json";
/// Which repository this machine follows until `follow --stop`.
inline constexpr const char* kFollowsFile = "/var/lib/spark-reconcile/follows";
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
/// The secret half of this node's own key, for root alone.
inline constexpr const char* kNodeKeyFile = "/var/lib/spark-reconcile/node.key";
/// The public keys of other nodes, which people have compared four words for.
inline constexpr const char* kTrustedFile = "/etc/spark-reconcile/trusted";
/// The cluster file, where nobody names another.
inline constexpr const char* kDefaultFile = "/etc/spark-reconcile/cluster.yaml";
/// Held by the process that changes this machine, for as long as it does.
inline constexpr const char* kLockFile = "/run/spark-reconcile/apply/lock";
/// Held by the daemon as long as it lives.
inline constexpr const char* kDaemonLockFile = "/run/spark-reconcile/daemon.lock";
/// What the daemon knows, replaced after each pass, for programs of others: ours read
/// kNodeStateFile.
inline constexpr const char* kStatusFile = "/run/spark-reconcile/status.json";
/// The text that the daemon has in force, for all to read: where the file is refused, the last good
/// one.
inline constexpr const char* kPublishedFile = "/run/spark-reconcile/published.json";
/// What happened last on this node, for all to read while a daemon runs.
inline constexpr const char* kEventsFile = "/run/spark-reconcile/events.json";
/// The same, kept across reboots.
inline constexpr const char* kKeptEventsFile = "/var/lib/spark-reconcile/events.json";
/// The status as metrics, for node_exporter's textfile collector.
inline constexpr const char* kMetricsFile = "/run/spark-reconcile/metrics.prom";
/// The environment of jobs: read by systemd, by container engines and by sh.
inline constexpr const char* kNcclEnvironment = "/run/spark-reconcile/nccl.env";

}  // namespace spark::protocol
