#pragma once
// What the daemon and spark-web leave for each other and for the verbs: how the node is, and
// whether anybody is served with it.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/fields.hpp"

namespace spark::protocol {

/// The daemon → spark-web, replaced with each pass: where to listen, and what to show.
inline constexpr const char* kNodeStateFile = "/run/spark-reconcile/node-state.json";
inline constexpr std::string_view kNodeStateSchema = "spark-reconcile/node-state/v1";
/// A longer one is not read.
inline constexpr std::size_t kMostNodeStateBytes = std::size_t{1024} * 1024;

/// spark-web → `doctor`. There is none while spark-web does not run.
inline constexpr const char* kWebReportFile = "/run/spark-reconcile-web/web.json";
inline constexpr std::string_view kWebReportSchema = "spark-reconcile/web/v1";
inline constexpr const char* kWebUnit = "spark-reconcile-web.service";

struct WebReport {
  std::string endpoint;  ///< "127.0.0.1:9842", "[::1]:9842"; empty: the daemon has named none yet
  std::string failed;    ///< why nobody is served there; empty: it listens
  bool operator==(const WebReport&) const = default;
};

template <EitherConst<WebReport> T, class Visit>
void each_field(T& report, Visit visit) {
  visit("endpoint", report.endpoint);
  visit("failed", report.failed);
}

}  // namespace spark::protocol
