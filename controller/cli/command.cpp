#include "cli/command.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/lines.hpp"
#include "base/text.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/typed_command.hpp"
#include "cli/workflow_commands.hpp"

namespace spark::cli {
namespace {

std::string summary(const ClusterFile& file) {
  const auto& found = file.parsed.diagnostics;
  const auto errors = static_cast<std::size_t>(
      std::ranges::count(found, config::Severity::kError, &config::Diagnostic::severity));
  const auto warnings = found.size() - errors;
  return fmt::format("{}: {}{}", file.name, counted(errors, "error"),
                     warnings == 0 ? "" : ", " + counted(warnings, "warning"));
}

/// What root may and this user may not is said with the same line for root.
std::string what_to_say(const Command& command, const Error& error) {
  const auto& words = command.arguments.typed;
  const bool is_for_root = error.code == ErrorCode::kPermission && geteuid() != 0 &&
                           !words.empty() && !error.what.contains("sudo ");
  return is_for_root ? fmt::format("{}: {}", error.what, line_for_root(words)) : error.what;
}

}  // namespace

std::string_view verb_of(const Command& command) {
  const auto* verb = command.arguments.verb;
  return verb == nullptr ? std::string_view() : verb->name;
}

ExitCode report_error(const Command& command, const Error& error, ExitCode code) {
  if (command.arguments.json) {
    print_json(command.terminal, verb_of(command), config::Cluster{}, "", code,
               {{"error", error.what}});
  } else if (command.arguments.report_format == ReportFormat::kGithub) {
    command.terminal.print_always(workflow_command({.level = Annotation::Level::kError,
                                                    .file = {},
                                                    .title = "spark-reconcile",
                                                    .message = printable(error.what)}));
  } else {
    const auto text = fmt::format("spark-reconcile: {}\n", printable(what_to_say(command, error)));
    command.terminal.complain(
        in_lines(typed_in(text, command.terminal), command.terminal.error_width()));
  }
  return code;
}

ExitCode report_outcome(const Command& command, const std::string& node, ExitCode code,
                        const nlohmann::json& body, const std::string& text) {
  if (command.arguments.json) {
    print_json(command.terminal, verb_of(command), config::Cluster{}, node, code, body);
  } else if (code == ExitCode::kDone) {
    command.terminal.print_always(typed_in(text, command.terminal));
  } else {
    command.terminal.complain(typed_in(text, command.terminal));
  }
  return code;
}

ExitCode report(const Terminal& terminal, const Answer& answer) {
  if (answer.error.empty()) {
    answer.code == ExitCode::kDone ? terminal.print_always(answer.help)
                                   : terminal.complain(answer.help);
  } else if (answer.json) {
    print_json(terminal, "usage", config::Cluster{}, "", answer.code, {{"error", answer.error}});
  } else {
    terminal.complain(in_lines(fmt::format("spark-reconcile: {}\nTry `spark-reconcile help{}{}`.\n",
                                           answer.error, answer.verb != nullptr ? " " : "",
                                           answer.verb != nullptr ? answer.verb->name : ""),
                               terminal.error_width()));
  }
  return answer.code;
}

ExitCode report_findings(const Command& command, const ClusterFile& file) {
  const auto code = file.valid() ? ExitCode::kDone : ExitCode::kInvalidFile;
  if (command.arguments.json) {
    // A valid file's findings go into the verb's own envelope.
    if (code != ExitCode::kDone) {
      print_json(command.terminal, verb_of(command), file, "", code, nlohmann::json::object());
    }
    return code;
  }
  if (command.arguments.report_format == ReportFormat::kGithub) {
    command.terminal.print_always(commands_of_findings(file, command.arguments.quiet));
    return code;
  }
  if (file.newer) {
    command.terminal.complain(in_lines(not_in_force_line(file), command.terminal.error_width()));
  }
  const auto broken = [width = command.terminal.error_width()](std::string_view head,
                                                               std::string_view words) {
    return width ? hanging(head, words, *width) : fmt::format("{}{}\n", head, words);
  };
  for (const auto& diagnostic : file.parsed.diagnostics) {
    if (diagnostic.severity == config::Severity::kError || !command.arguments.quiet) {
      command.terminal.complain(config::render(diagnostic, file.name, file.text, broken) + "\n");
    }
  }
  if (code != ExitCode::kDone) {
    command.terminal.complain(fmt::format("{}; nothing was touched\n", summary(file)));
  }
  return code;
}

}  // namespace spark::cli
