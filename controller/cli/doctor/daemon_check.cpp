#include "cli/doctor/daemon_check.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "cli/daemon_status.hpp"
#include "host/file_lock.hpp"
#include "protocol/paths.hpp"
#include "state/pause.hpp"

namespace spark::cli {

Findings findings_of(const DaemonStatus& word) {
  Findings findings;
  if (!word.refused.empty()) {
    findings.push_back({"daemon", Severity::kPrevents,
                        fmt::format("it refuses the file: {}", word.refused),
                        "`spark-reconcile plan`", "file"});
  }
  for (const auto& resource : word.left_alone) {
    const auto lines = lines_of(resource);
    // The lines after the first say what to do.
    std::vector<std::string> remedies;
    std::ranges::transform(lines | std::views::drop(1), std::back_inserter(remedies), fold_blanks);
    findings.push_back({"daemon", Severity::kPrevents,
                        fmt::format("it leaves alone {}", lines.front()),
                        remedies.empty() ? "`spark-reconcile events` shows what it did"
                                         : fmt::format("{}", fmt::join(remedies, "; "))});
  }
  if (word.verdict != "ready") {
    findings.push_back({"gate", Severity::kPrevents,
                        fmt::format("{}{}{} (at {})", word.verdict, word.why.empty() ? "" : ": ",
                                    word.why, word.generated_at),
                        "`spark-reconcile gate` shows what each rail lacks"});
  }
  return findings;
}

Findings check_daemon(const Command& command) {
  auto& host = command.host;
  const auto holder = host::lock_holder(command.arguments.root, protocol::kDaemonLockFile);
  if (!holder) {
    return {{"daemon", Severity::kLook,
             fmt::format("whether it runs cannot be seen: {}", holder.error().what),
             "`systemctl status spark-reconcile`"}};
  }
  if (!*holder) {
    const auto file = host.files.read(protocol::kDefaultFile);
    const bool has_file = !file || *file;
    return {{"daemon", Severity::kPrevents,
             "it does not run: no drift is corrected, and no alert is sent",
             has_file ? "`systemctl enable --now spark-reconcile`"
                      : "once there is a file: `systemctl enable --now spark-reconcile`",
             has_file ? "" : "file"}};
  }
  if (const auto paused = state::read_pause(host, now())) {
    return {{"daemon", Severity::kLook, fmt::format("it runs, and is paused: {}", paused->reason),
             "`spark-reconcile resume`"}};
  }
  const auto word = read_last_status(host.files);
  if (!word || !*word) {
    return {{"daemon", Severity::kLook, "it runs, and has reported nothing yet",
             "`spark-reconcile status`"}};
  }
  if ((*word)->released) {
    return {{"daemon", Severity::kLook, "it runs, and the node is " + (*word)->why,
             "`spark-reconcile resume` or `spark-reconcile apply`"}};
  }
  Findings findings{{"daemon", Severity::kGood, "it runs", ""}};
  std::ranges::move(findings_of(**word), std::back_inserter(findings));
  return findings;
}

}  // namespace spark::cli
