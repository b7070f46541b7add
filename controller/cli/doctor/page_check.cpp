#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/moment.hpp"
#include "base/page_token.hpp"
#include "base/text.hpp"
#include "cli/doctor/checks.hpp"
#include "host/file_lock.hpp"
#include "host/helper_document.hpp"
#include "host/process/helper_program.hpp"
#include "host/process/key_file.hpp"
#include "protocol/alive.hpp"
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

/// What keeps spark-web from having the token, as this user sees it; empty: nothing, or this user
/// may not look.
std::optional<host::KeyFileFault> token_fault(const Command& command, const std::string& path) {
  const auto passwd = command.host.files.read("/etc/passwd").value_or(std::nullopt).value_or("");
  auto fault =
      host::token_file_fault(command.arguments.root, path, host::token_reader(path, passwd));
  if (fault && fault->is_denied) return std::nullopt;
  return fault;
}

Finding closed(std::string what, std::string remedy) {
  return {"page", Severity::kLook, "nobody off this machine is let in: " + std::move(what),
          std::move(remedy)};
}

/// Where the page is served: to whom.
Finding finding_of_access(const Command& command, const protocol::WebReport& report) {
  if (report.token_file.empty() && !report.access_failed.empty()) {
    return closed(report.access_failed,
                  fmt::format("make a token with `{0}`, add `token_file: {1}` to "
                              "/etc/spark-reconcile/agent.yaml, and `sudo systemctl restart "
                              "spark-reconcile`; or write `listen: 127.0.0.1:9842` there",
                              token_command(kTokenFile), kTokenFile));
  }
  if (!report.token_file.empty()) {
    // It says at once what is right again: spark-web looks when somebody asks it for something.
    if (auto fault = token_fault(command, report.token_file)) {
      return closed(std::move(fault->what), std::move(fault->remedy));
    }
    if (!report.access_failed.empty()) {
      return closed(report.access_failed, fmt::format("`systemctl status {}`", protocol::kWebUnit));
    }
    return {"page", Severity::kGood,
            fmt::format("served on {}, to who has the token of {}", report.endpoint,
                        in_quotes(report.token_file)),
            ""};
  }
  return {"page", Severity::kGood,
          report.endpoint.empty() ? "it is served once the daemon says where"
                                  : fmt::format("served on {}", report.endpoint),
          ""};
}

Finding finding_of(const Command& command, const protocol::WebReport& report) {
  if (report.failed.empty()) return finding_of_access(command, report);
  return {"page", Severity::kLook,
          fmt::format("no page and no metrics over HTTP: {}", report.failed),
          "`ss -ltnp` shows who listens there, and `ip address` the addresses of this machine; or "
          "set `listen` in /etc/spark-reconcile/agent.yaml, and `systemctl restart "
          "spark-reconcile`"};
}

Finding restart_it(std::string what) {
  return {"page", Severity::kLook, std::move(what),
          fmt::format("`systemctl restart {}`", protocol::kWebUnit)};
}

}  // namespace

Findings check_page(const Command& command) {
  const auto daemon = host::lock_holder(command.arguments.root, protocol::kDaemonLockFile);
  if (!daemon || !*daemon) return {};
  const auto report = host::helper_document<protocol::WebReport>(
      command.host.files, {.path = protocol::kWebReportFile,
                           .user = protocol::kWebUser,
                           .most_bytes = protocol::kMostWebReportBytes,
                           .schema = protocol::kWebReportSchema});
  if (!report) {
    return {restart_it(report.error().what)};
  }
  if (!*report) return {nobody_serves()};
  const auto alive = command.host.files.read_helpers(protocol::kWebAliveFile, protocol::kWebUser,
                                                     protocol::kMostAliveBytes);
  if (!alive) return {restart_it(alive.error().what)};
  const auto now = spark::now();
  const auto silent = protocol::silent_since(protocol::kWebUnit, now.boot, *alive);
  if (!silent) return {restart_it(silent.error().what)};
  if (*silent) {
    return {
        restart_it(fmt::format("{} hangs, or was killed: it has said nothing since {}",
                               protocol::kWebUnit, utc_text(now.wall - (now.boot - **silent))))};
  }
  return {finding_of(command, **report)};
}

}  // namespace spark::cli
