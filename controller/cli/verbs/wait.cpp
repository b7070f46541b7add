// The verb `wait`: until the daemon says that this node is ready.

#include <chrono>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/daemon_status.hpp"
#include "cli/json_output.hpp"
#include "cli/status_watch.hpp"
#include "cli/text/layout.hpp"

namespace spark::cli {
namespace {

using Clock = std::chrono::steady_clock;

bool is_ready(const std::optional<DaemonStatus>& word) { return word && word->verdict == "ready"; }

/// For people at a terminal, who see each change of it.
std::string waits_for(const std::optional<DaemonStatus>& word) {
  if (!word) return "for a daemon that reports this node's state";
  return fmt::format("{}{}{}", word->verdict, word->why.empty() ? "" : ": ", word->why);
}

}  // namespace

ExitCode wait_until_ready(const Command& command) {
  const auto& arguments = command.arguments;
  const auto& terminal = command.terminal;
  const auto complain = [&terminal](const std::string& what) {
    terminal.complain(in_lines("spark-reconcile: " + what + "\n", terminal.error_width()));
  };
  const auto limit = arguments.timeout;
  const auto end = limit.count() == 0 ? std::nullopt : std::optional(Clock::now() + limit);
  const StatusWatch watch(arguments.root);
  // One that cannot be read now will not be read later either.
  auto read = read_last_status(command.host.files);
  if (read && *read && (*read)->released && !arguments.json) {
    // Else nobody knows why it takes forever.
    complain("this node is " + (*read)->why);
  }
  if (read && !*read && !arguments.quiet) {
    // At boot the daemon is started at the same time, so it is waited for all the same.
    complain(
        "no daemon has reported this node's state: waiting for it. Where none runs, start it: "
        "`systemctl start spark-reconcile`");
  }
  std::string shown;
  while (read && !is_ready(*read) && (!end || Clock::now() < *end)) {
    if (const auto now = waits_for(*read); now != shown && terminal.width() && !arguments.json) {
      terminal.print(hanging("waiting: ", now, *terminal.width()));
      shown = now;
    }
    watch.wait(end);
    read = read_last_status(command.host.files);
  }
  if (!read) return report_error(command, read.error());
  const auto& word = *read;
  const std::string verdict = word ? word->verdict : "unknown";
  const std::string why = word ? word->why
                               : "the daemon does not run, or has not looked yet: `systemctl "
                                 "status spark-reconcile`";
  const auto code = is_ready(word) ? ExitCode::kDone : ExitCode::kWaiting;
  if (arguments.json) {
    print_json(terminal, "wait", config::Cluster{}, "", code, {{"verdict", verdict}, {"why", why}});
  } else if (is_ready(word)) {
    terminal.print_always("ready\n");
    print_next(terminal, arguments, "The environment for jobs",
               command_line_for("export", arguments));
  } else {
    complain(fmt::format("not ready within {} s: {}{}",
                         std::chrono::duration<double>(limit).count(), verdict,
                         why.empty() ? "" : ": " + why));
  }
  return code;
}

}  // namespace spark::cli
