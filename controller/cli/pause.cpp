// The verbs `pause` and `resume`: what the daemon may correct.

#include "reconcile/pause.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "cli/user_name.hpp"

namespace spark {
namespace {

Result<> check_request(const Arguments& arguments) {
  if (arguments.pause_for > kLongestPause) {
    return fail(ErrorCode::kInvalid,
                "a pause lasts 168h at most: what is to stay otherwise belongs into the file");
  }
  if (printable(arguments.reason) != printable(arguments.reason, kLongestReason)) {
    return fail(ErrorCode::kInvalid,
                fmt::format("--reason has more than {} characters: shorten it; a link to the "
                            "ticket is enough",
                            kLongestReason));
  }
  return {};
}

}  // namespace

ExitCode pause(const Command& command) {
  const auto& arguments = command.arguments;
  if (auto valid = check_request(arguments); !valid) {
    return report_error(command, valid.error(), ExitCode::kUsage);
  }
  const auto start = now();
  const Paused paused{.since = start,
                      .until = later(start, arguments.pause_for),
                      .reason = arguments.reason,
                      .by = user_name()};
  if (auto written = write_pause(command.host, paused); !written) {
    return report_error(command, written.error());
  }
  const auto until = utc_text(paused.until.wall);
  if (arguments.json) {
    print_json(command.terminal, "pause", Cluster{}, "", ExitCode::kDone, {{"until", until}});
  } else {
    command.terminal.print_always(fmt::format(
        "paused until {}: nothing is corrected, differences are still told. End it with "
        "`spark-reconcile resume`\n",
        until));
  }
  return ExitCode::kDone;
}

ExitCode resume(const Command& command) {
  const bool was_paused = read_pause(command.host, now()).has_value();
  if (auto removed = remove_pause(command.host.files); !removed) {
    return report_error(command, removed.error());
  }
  if (command.arguments.json) {
    print_json(command.terminal, "resume", Cluster{}, "", ExitCode::kDone,
               {{"was_paused", was_paused}});
  } else {
    command.terminal.print_always(was_paused ? "resumed\n" : "there was no pause\n");
  }
  return ExitCode::kDone;
}

}  // namespace spark
