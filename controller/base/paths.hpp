#pragma once
// Where the daemon and the verbs meet.

namespace spark {

/// Held by whoever changes this machine, for as long as it does.
inline constexpr const char* kLockFile = "/run/spark-reconcile/lock";
/// Held by the daemon as long as it lives.
inline constexpr const char* kDaemonLockFile = "/run/spark-reconcile/daemon.lock";
/// What the daemon knows, replaced after each pass, for all to read.
inline constexpr const char* kStatusFile = "/run/spark-reconcile/status.json";
/// The same as metrics, for node_exporter's textfile collector.
inline constexpr const char* kMetricsFile = "/run/spark-reconcile/metrics.prom";

}  // namespace spark
