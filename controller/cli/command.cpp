#include "cli/command.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/json_output.hpp"

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

}  // namespace

ExitCode report_error(const Command& command, const Error& error, ExitCode code) {
  if (command.arguments.json) {
    print_json(command.terminal, name_of(command.arguments.verb), config::Cluster{}, "", code,
               {{"error", error.what}});
  } else {
    command.terminal.complain(fmt::format("spark-reconcile: {}\n", printable(error.what)));
  }
  return code;
}

ExitCode report_outcome(const Command& command, const std::string& node, ExitCode code,
                        const nlohmann::json& body, const std::string& text) {
  if (command.arguments.json) {
    print_json(command.terminal, name_of(command.arguments.verb), config::Cluster{}, node, code,
               body);
  } else if (code == ExitCode::kDone) {
    command.terminal.print_always(text);
  } else {
    command.terminal.complain(text);
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
    terminal.complain(
        fmt::format("spark-reconcile: {}\nTry `spark-reconcile help`.\n", answer.error));
  }
  return answer.code;
}

ExitCode report_findings(const Command& command, const ClusterFile& file) {
  const auto code = file.valid() ? ExitCode::kDone : ExitCode::kInvalidFile;
  if (command.arguments.json) {
    // A valid file's findings go into the verb's own envelope.
    if (code != ExitCode::kDone) {
      print_json(command.terminal, name_of(command.arguments.verb), file, "", code,
                 nlohmann::json::object());
    }
    return code;
  }
  for (const auto& diagnostic : file.parsed.diagnostics) {
    if (diagnostic.severity == config::Severity::kError || !command.arguments.quiet) {
      command.terminal.complain(config::render(diagnostic, file.name, file.text) + "\n");
    }
  }
  if (code != ExitCode::kDone) {
    command.terminal.complain(fmt::format("{}; nothing was touched\n", summary(file)));
  }
  return code;
}

}  // namespace spark::cli
