#pragma once
// What the daemon and spark-web leave for each other and for the verbs: how the node is, and
// whether anybody is served with it.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/fields.hpp"

namespace spark::protocol {

/// The daemon → spark-web and the verbs, replaced with each pass: what to show, and where to
/// listen.
inline constexpr const char* kNodeStateFile = "/run/spark-reconcile/node-state.json";
inline constexpr std::string_view kNodeStateSchema = "spark-reconcile/node-state/v1";
/// A longer one is not read.
inline constexpr std::size_t kMostNodeStateBytes = std::size_t{1024} * 1024;

/// Until when that and the rest of what the daemon writes count (alive.hpp). Absent also: the
/// daemon has made no pass yet.
inline constexpr const char* kDaemonAliveFile = "/run/spark-reconcile/alive";

/// spark-web → `doctor`. There is none while spark-web does not run.
inline constexpr const char* kWebReportFile = "/run/spark-reconcile-web/web.json";
/// Until when that counts (alive.hpp). Absent also: it serves nobody.
inline constexpr const char* kWebAliveFile = "/run/spark-reconcile-web/alive";
inline constexpr std::string_view kWebReportSchema = "spark-reconcile/web/v1";
inline constexpr std::size_t kMostWebReportBytes = std::size_t{64} * 1024;
inline constexpr const char* kWebUnit = "spark-reconcile-web.service";
inline constexpr const char* kWebUser = "spark-web";  ///< its group too

struct WebReport {
  std::string endpoint;    ///< "127.0.0.1:9842", "[::1]:9842"; empty: the daemon has named none yet
  std::string failed;      ///< why nobody is served there; empty: it listens
  std::string token_file;  ///< whose token it asks for; empty: it serves this machine alone
  std::string access_failed;  ///< why nobody off this machine is shown anything; empty: they are
  bool operator==(const WebReport&) const = default;
};

template <EitherConst<WebReport> T, class Visit>
void each_field(T& report, Visit visit) {
  visit("endpoint", report.endpoint);
  visit("failed", report.failed);
  visit("token_file", report.token_file);
  visit("access_failed", report.access_failed);
}

}  // namespace spark::protocol
