#include "cli/doctor/page_check.hpp"

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "host/file_lock.hpp"
#include "host/process/helper_program.hpp"
#include "protocol/paths.hpp"
#include "protocol/web.hpp"

namespace spark::cli {
namespace {

Finding nobody_serves() {
  const auto starts = host::check_helper(host::Helper::kWeb);
  return starts ? Finding{"page", Severity::kLook,
                          fmt::format("nobody serves the page and the metrics: {} does not run",
                                      protocol::kWebUnit),
                          fmt::format("`systemctl start {}`", protocol::kWebUnit)}
                : Finding{"page", Severity::kLook, starts.error().what,
                          fmt::format("then: `systemctl restart {}`", protocol::kWebUnit)};
}

Finding finding_of(const protocol::WebReport& report) {
  if (report.failed.empty()) {
    return {"page", Severity::kGood,
            report.endpoint.empty() ? "it is served once the daemon says where"
                                    : fmt::format("served on {}", report.endpoint),
            ""};
  }
  return {"page", Severity::kLook,
          fmt::format("no page and no metrics over HTTP: {}", report.failed),
          "`ss -ltnp` shows who listens there, and `ip address` the addresses of this machine; or "
          "set `listen` in /etc/spark-reconcile/agent.yaml, and `systemctl restart "
          "spark-reconcile`"};
}

}  // namespace

Findings check_page(const Command& command) {
  const auto daemon = host::lock_holder(command.arguments.root, protocol::kDaemonLockFile);
  if (!daemon || !*daemon) return {};
  const auto text = command.host.files.read(protocol::kWebReportFile);
  if (text && !*text) return {nobody_serves()};
  const auto report =
      text ? document_from_text<protocol::WebReport>(protocol::kWebReportSchema, **text)
           : std::unexpected(text.error());
  if (!report) {
    return {{"page", Severity::kLook,
             fmt::format("'{}' cannot be used: {}", protocol::kWebReportFile, report.error().what),
             fmt::format("`systemctl restart {}`", protocol::kWebUnit)}};
  }
  return {finding_of(*report)};
}

}  // namespace spark::cli
