#pragma once
// paths: what the daemon and the verbs both use.

namespace spark {

/// The cluster file, where nobody names another.
inline constexpr const char* kDefaultFile = "/etc/spark-reconcile/cluster.yaml";
/// Held by whoever changes this machine, for as long as it does.
inline constexpr const char* kLockFile = "/run/spark-reconcile/lock";
/// Held by the daemon as long as it lives.
inline constexpr const char* kDaemonLockFile = "/run/spark-reconcile/daemon.lock";
/// What the daemon knows, replaced after each pass, for all to read.
inline constexpr const char* kStatusFile = "/run/spark-reconcile/status.json";
/// The same as metrics, for node_exporter's textfile collector.
inline constexpr const char* kMetricsFile = "/run/spark-reconcile/metrics.prom";

}  // namespace spark
