#include "cli/command.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/json_output.hpp"

namespace spark {
namespace {

std::string summary(const ClusterFile& file) {
  const auto& found = file.parsed.diagnostics;
  const auto errors =
      static_cast<std::size_t>(std::ranges::count(found, Severity::kError, &Diagnostic::severity));
  const auto warnings = found.size() - errors;
  return fmt::format("{}: {}{}", file.name, counted(errors, "error"),
                     warnings == 0 ? "" : ", " + counted(warnings, "warning"));
}

}  // namespace

std::string_view name_of(Verb verb) {
  switch (verb) {
    case Verb::kValidate:
      return "validate";
    case Verb::kPlan:
      return "plan";
    case Verb::kApply:
      return "apply";
    case Verb::kConfirm:
      return "confirm";
    case Verb::kRollback:
      return "rollback";
    case Verb::kHistory:
      return "history";
    case Verb::kDoctor:
      return "doctor";
    case Verb::kRelease:
      return "release";
    case Verb::kStatus:
      return "status";
    case Verb::kFacts:
      return "facts";
    case Verb::kGate:
      return "gate";
    case Verb::kExport:
      return "export";
    case Verb::kDaemon:
      return "daemon";
    case Verb::kWait:
      return "wait";
    case Verb::kPause:
      return "pause";
    case Verb::kResume:
      return "resume";
    case Verb::kEvents:
      return "events";
    case Verb::kVersion:
      return "version";
  }
  return "version";
}

ExitCode run(const Command& command) {
  switch (command.arguments.verb) {
    case Verb::kValidate:
      return validate(command);
    case Verb::kPlan:
      return show_plan(command);
    case Verb::kApply:
    case Verb::kRelease:
      return apply(command);
    case Verb::kConfirm:
      return confirm(command);
    case Verb::kRollback:
      return rollback(command);
    case Verb::kHistory:
      return history(command);
    case Verb::kDoctor:
      return doctor(command);
    case Verb::kStatus:
      return status(command);
    case Verb::kFacts:
      return facts(command);
    case Verb::kGate:
      return gate(command);
    case Verb::kExport:
      return export_environment(command);
    case Verb::kWait:
      return wait_until_ready(command);
    case Verb::kPause:
      return pause(command);
    case Verb::kResume:
      return resume(command);
    case Verb::kEvents:
      return events(command);
    case Verb::kDaemon:
      break;  // main's: it is no part of this library
    case Verb::kVersion:
      return version(command);
  }
  return ExitCode::kUsage;
}

ExitCode report_error(const Command& command, const Error& error, ExitCode code) {
  if (command.arguments.json) {
    print_json(command.terminal, name_of(command.arguments.verb), Cluster{}, "", code,
               {{"error", error.what}});
  } else {
    command.terminal.complain(fmt::format("spark-reconcile: {}\n", error.what));
  }
  return code;
}

ExitCode report_outcome(const Command& command, const std::string& node, ExitCode code,
                        const nlohmann::json& body, const std::string& text) {
  if (command.arguments.json) {
    print_json(command.terminal, name_of(command.arguments.verb), Cluster{}, node, code, body);
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
    print_json(terminal, "usage", Cluster{}, "", answer.code, {{"error", answer.error}});
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
    if (diagnostic.severity == Severity::kError || !command.arguments.quiet) {
      command.terminal.complain(render(diagnostic, file.name, file.text) + "\n");
    }
  }
  if (code != ExitCode::kDone) {
    command.terminal.complain(fmt::format("{}; nothing was touched\n", summary(file)));
  }
  return code;
}

ExitCode validate(const Command& command) {
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  const auto code = report_findings(command, *file);
  if (code != ExitCode::kDone) {
    return code;
  }
  const auto& cluster = file->parsed.cluster;
  if (command.arguments.json) {
    print_json(command.terminal, "validate", *file, "", code, nlohmann::json::object());
  } else {
    command.terminal.print_always(
        fmt::format("{}: valid: cluster '{}', {}, {} and {} (digest {})\n", file->name,
                    cluster.name, counted(cluster.nodes.size(), "node"),
                    counted(static_cast<std::size_t>(std::ranges::count(
                                cluster.fabric.segments, Segment::Kind::kCable, &Segment::kind)),
                            "cable"),
                    counted(static_cast<std::size_t>(std::ranges::count(
                                cluster.fabric.segments, Segment::Kind::kSwitch, &Segment::kind)),
                            "switch"),
                    cluster.digest.substr(0, 12)));
  }
  return code;
}

}  // namespace spark
