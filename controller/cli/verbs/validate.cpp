// The verb `validate`: is the file valid, and what does it change on which node? Needs no machine.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/input/verb.hpp"
#include "cli/json_output.hpp"
#include "cli/plan/node_changes.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/node_changes_text.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/text/rollout_text.hpp"
#include "cli/workflow_commands.hpp"
#include "plan/rollout.hpp"

namespace spark::cli {
namespace {

struct ValidateArguments {
  bool all_nodes = false;
  std::string against;  ///< path of the other file, "-" for stdin
  bool detailed_exitcode = false;
};

/// What is said beside the findings.
struct NodesOfFile {
  std::optional<ClusterFile> against;  ///< empty: nothing is compared
  std::vector<NodeChanges> nodes;      ///< empty: nobody asked for them

  [[nodiscard]] bool is_compared() const { return against && against->valid(); }
};

Result<NodesOfFile> nodes_of(const Command& command, const ClusterFile& file) {
  const auto& arguments = command.arguments;
  const auto& own = own_options<ValidateArguments>(command);
  NodesOfFile found;
  if (!own.against.empty()) {
    auto other =
        read_cluster_file({.verb = arguments.verb, .file = own.against}, command.host.files);
    if (!other) return std::unexpected(other.error());
    found.against = std::move(*other);
  }
  if (!found.is_compared() && !own.all_nodes) {
    return found;
  }
  auto nodes = changes_of_nodes(found.is_compared() ? &found.against->parsed.cluster : nullptr,
                                file.parsed.cluster, arguments.node);
  if (!nodes) return std::unexpected(nodes.error());
  found.nodes = std::move(*nodes);
  return found;
}

ExitCode exit_code_of(const NodesOfFile& found, bool is_detailed) {
  if (!found.against || !is_detailed) {
    return ExitCode::kDone;
  }
  if (!found.is_compared()) {
    return ExitCode::kUnknown;
  }
  return std::ranges::any_of(found.nodes, &NodeChanges::differs) ? ExitCode::kDifferences
                                                                 : ExitCode::kDone;
}

std::string contents_text(const ClusterFile& file) {
  const auto& cluster = file.parsed.cluster;
  const auto segments = [&](config::Segment::Kind kind) {
    return static_cast<std::size_t>(
        std::ranges::count(cluster.fabric.segments, kind, &config::Segment::kind));
  };
  return fmt::format("{}: valid: cluster '{}', {}, {} and {} (digest {:.12})", printable(file.name),
                     cluster.name, counted(cluster.nodes.size(), "node"),
                     counted(segments(config::Segment::Kind::kCable), "cable"),
                     counted(segments(config::Segment::Kind::kSwitch), "switch"), cluster.digest);
}

/// What came of the comparison; empty: nothing was to be compared.
std::string comparison_text(const NodesOfFile& found) {
  if (!found.against) return {};
  const auto name = printable(found.against->name);
  if (found.is_compared()) {
    return fmt::format("compared with {}: {}", name, count_of_nodes(found.nodes));
  }
  const auto& findings = found.against->parsed.diagnostics;
  const auto error =
      std::ranges::find(findings, config::Severity::kError, &config::Diagnostic::severity);
  return fmt::format("not compared: {} is invalid, at line {}: {} [{}]", name, error->where.line,
                     printable(error->message), error->id);
}

void print_as_json(const Command& command, const ClusterFile& file, const NodesOfFile& found,
                   ExitCode code) {
  auto body = nlohmann::json::object();
  if (found.against) {
    body["against"] = {{"file", found.against->name},
                       {"digest", found.against->parsed.cluster.digest},
                       {"valid", found.against->valid()}};
  }
  if (found.against || own_options<ValidateArguments>(command).all_nodes) {
    body["nodes"] = nlohmann::json::array();
    for (const auto& changes : found.nodes) body["nodes"].push_back(to_json(changes));
  }
  body["rollout"] = to_json(plan::rollout_order(
      found.is_compared() ? &found.against->parsed.cluster : nullptr, file.parsed.cluster));
  print_json(command.terminal, "validate", file, "", code, std::move(body));
}

void print_as_commands(const Command& command, const ClusterFile& file, const NodesOfFile& found) {
  const Terminal plain(nullptr, nullptr, Color::kNever, false);
  const auto compared = comparison_text(found);
  const bool is_unknown = found.against && !found.is_compared();
  auto message = contents_text(file) + "\n" + node_changes_text(found.nodes, file.name, plain);
  message.pop_back();
  command.terminal.print_always(workflow_command(
      {.level = is_unknown ? Annotation::Level::kWarning : Annotation::Level::kNotice,
       .file = {},
       .title = compared.empty() ? "spark-reconcile validate" : compared,
       .message = std::move(message)}));
}

void print_as_text(const Command& command, const ClusterFile& file, const NodesOfFile& found) {
  const auto& terminal = command.terminal;
  terminal.print_always(fitting(contents_text(file) + "\n", terminal));
  if (!found.nodes.empty()) {
    const auto nodes = shows_screen(command) ? node_changes_screen(found.nodes, file.name, terminal)
                                             : node_changes_text(found.nodes, file.name, terminal);
    terminal.print("\n" + nodes + (found.against ? "\n" : ""));
  }
  if (const auto compared = comparison_text(found); !compared.empty()) {
    terminal.print_always(compared + "\n");
  } else {
    print_next(terminal, command.arguments, "What would change here",
               command_line_for("plan", command.arguments));
  }
}

ExitCode validate(const Command& command) {
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) return code;
  const auto found = nodes_of(command, *file);
  if (!found) return report_error(command, found.error());
  const auto code = exit_code_of(*found, own_options<ValidateArguments>(command).detailed_exitcode);
  if (command.arguments.json) {
    print_as_json(command, *file, *found, code);
  } else if (command.arguments.report_format == ReportFormat::kGithub) {
    print_as_commands(command, *file, *found);
  } else {
    print_as_text(command, *file, *found);
  }
  return code;
}

constexpr auto kValidateOptions = std::to_array<OptionRow>({
    {"--all-nodes", &Value::kNone, in<&ValidateArguments::all_nodes>(),
     "show what the file makes of each node: links, MTU, addresses"},
    {.names = "--against",
     .value = &Value::kFile,
     .member = in<&ValidateArguments::against>(),
     .about =
         "show what changes on each node (or on that of -n) compared with this file; - is stdin",
     .sample = "old.yaml"},
    {"--detailed-exitcode", &Value::kNone, in<&ValidateArguments::detailed_exitcode>(),
     "with --against: 0 no node changes, 2 some do, 4 the other file is invalid"},
    {"--format", &Value::kReportFormat, in<&Arguments::report_format>(),
     "print text (default), json, or github (annotations in a pull request)"},
});

std::string contradiction_of_validate(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& own = own_options<ValidateArguments>(arguments);
  if (own.all_nodes && !arguments.node.empty()) {
    return "--all-nodes is of every node: leave out -n";
  }
  if (own.detailed_exitcode && own.against.empty()) {
    return "--detailed-exitcode of validate says whether two files differ: `spark-reconcile "
           "validate --against old.yaml --detailed-exitcode`";
  }
  return arguments.file == "-" && own.against == "-"
             ? "-f and --against cannot both be stdin: name a file for one of them"
             : "";
}

}  // namespace

extern const VerbSpec kValidateVerb{.name = "validate",
                                    .group = VerbGroup::kStart,
                                    .about = "check the file alone; touches no machine",
                                    .file = VerbSpec::OfFile::kAsItIs,
                                    .node = VerbSpec::OfNode::kAny,
                                    .options = own_rows<ValidateArguments>(kValidateOptions),
                                    .check = contradiction_of_validate,
                                    .run = validate};

}  // namespace spark::cli
