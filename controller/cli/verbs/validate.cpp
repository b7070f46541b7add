// The verb `validate`.

#include <algorithm>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "cli/text/layout.hpp"

namespace spark::cli {

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
    command.terminal.print_always(fmt::format(
        "{}: valid: cluster '{}', {}, {} and {} (digest {})\n", file->name, cluster.name,
        counted(cluster.nodes.size(), "node"),
        counted(
            static_cast<std::size_t>(std::ranges::count(
                cluster.fabric.segments, config::Segment::Kind::kCable, &config::Segment::kind)),
            "cable"),
        counted(
            static_cast<std::size_t>(std::ranges::count(
                cluster.fabric.segments, config::Segment::Kind::kSwitch, &config::Segment::kind)),
            "switch"),
        cluster.digest.substr(0, 12)));
    print_next(command.terminal, command.arguments, "What would change here",
               command_line_for("plan", command.arguments));
  }
  return code;
}

}  // namespace spark::cli
