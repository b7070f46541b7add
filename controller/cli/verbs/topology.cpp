// The verb `topology`: draws the cluster by its file. Needs no machine.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/init/new_file.hpp"
#include "cli/json_output.hpp"
#include "cli/text/layout.hpp"
#include "cli/topology/fabric_map.hpp"
#include "cli/topology/topology_json.hpp"
#include "cli/topology/topology_lines.hpp"
#include "cli/topology/topology_screen.hpp"
#include "cli/topology/topology_svg.hpp"

namespace spark::cli {
namespace {

/// What is drawn, or why it is not.
struct Subject {
  FabricMap map;
  std::optional<ClusterFile> older;
};

struct NoSubject {
  Error error;
  ExitCode code = ExitCode::kError;
};

std::string first_error(const ClusterFile& file) {
  const auto& findings = file.parsed.diagnostics;
  const auto error =
      std::ranges::find(findings, config::Severity::kError, &config::Diagnostic::severity);
  return fmt::format("{} is invalid, at line {}: {} [{}]", printable(file.name), error->where.line,
                     printable(error->message), error->id);
}

std::expected<Subject, NoSubject> subject_of(const Command& command, const ClusterFile& file) {
  Subject subject{.map = fabric_map(file.parsed.cluster), .older = {}};
  const auto& arguments = command.arguments;
  if (arguments.diff.empty()) return subject;
  auto older =
      read_cluster_file({.verb = arguments.verb, .file = arguments.diff}, command.host.files);
  if (!older) return std::unexpected(NoSubject{older.error()});
  if (!older->valid()) {
    return std::unexpected(
        NoSubject{{ErrorCode::kInvalid, first_error(*older)}, ExitCode::kInvalidFile});
  }
  subject.map = compared_maps(subject.map, fabric_map(older->parsed.cluster));
  subject.older = *std::move(older);
  return subject;
}

void print_as_json(const Command& command, const ClusterFile& file, const Subject& subject) {
  auto body = nlohmann::json{{"topology", to_json(subject.map)}};
  if (subject.older) {
    body["older"] = {{"file", subject.older->name},
                     {"digest", subject.older->parsed.cluster.digest}};
    body["changes"] = changes_json(subject.map);
  }
  print_json(command.terminal, name_of(command.arguments.verb), file, "", ExitCode::kDone,
             std::move(body));
}

/// What the file of -o, or stdout, is to hold.
std::string drawn(const Command& command, const FabricMap& map) {
  if (command.arguments.topology_format == TopologyFormat::kSvg) return topology_svg(map);
  const Terminal plain(nullptr, nullptr, Color::kNever, false);
  const bool is_file = !command.arguments.out.empty();
  const auto& terminal = is_file ? plain : command.terminal;
  if (!terminal.width()) return topology_lines(map, terminal);
  const auto changes = changes_text(map, terminal);
  return topology_screen(map, terminal) + (changes.empty() ? "" : "\n" + changes);
}

}  // namespace

ExitCode topology(const Command& command) {
  const auto& arguments = command.arguments;
  const auto file = read_cluster_file(arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) {
    return code;
  }
  const auto subject = subject_of(command, *file);
  if (!subject) return report_error(command, subject.error().error, subject.error().code);
  if (arguments.json) {
    print_as_json(command, *file, *subject);
    return ExitCode::kDone;
  }
  const auto text = drawn(command, subject->map);
  if (!arguments.out.empty()) {
    if (const auto written = write_new_file(arguments.out, text); !written) {
      return report_error(command, written.error());
    }
    command.terminal.print(fmt::format("wrote {}\n", printable(arguments.out)));
    return ExitCode::kDone;
  }
  command.terminal.print_always(text);
  if (arguments.topology_format == TopologyFormat::kText && arguments.file != "-") {
    print_next(command.terminal, arguments, "\nWhat is there",
               command_line_for("status", arguments));
  }
  return ExitCode::kDone;
}

}  // namespace spark::cli
