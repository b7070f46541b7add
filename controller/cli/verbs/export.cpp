// The verb `export`: the environment for workloads on this node, on stdout.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "cli/plan_context.hpp"
#include "cli/text/layout.hpp"
#include "kinds/environment/nccl_environment.hpp"
#include "kinds/environment/nccl_judge.hpp"

namespace spark::cli {
namespace {

struct Rendered {
  std::vector<kinds::Variable> variables;  ///< none where something keeps them from being rendered
  std::vector<kinds::Skipped> skipped;     ///< that, or what the variables leave open
};

Rendered rendered_for(host::View& view, const config::Node& node) {
  if (auto why = kinds::why_not_rendered(view, node)) {
    return {.variables = {}, .skipped = {std::move(*why)}};
  }
  return {kinds::nccl_variables(node), kinds::shortfalls_of(view, node)};
}

nlohmann::json json_of(const Rendered& rendered) {
  auto variables = nlohmann::json::array();
  for (const auto& [name, value, reason] : rendered.variables) {
    variables.push_back({{"name", name}, {"value", value}, {"reason", reason}});
  }
  auto skipped = nlohmann::json::array();
  for (const auto& [why, id, reason] : rendered.skipped) {
    skipped.push_back({{"why", plan::name_of(why)}, {"id", id}, {"reason", reason}});
  }
  return {{"variables", std::move(variables)}, {"skipped", std::move(skipped)}};
}

void print_text(const Command& command, const Rendered& rendered) {
  const bool nothing = rendered.variables.empty();
  for (const auto& [why, id, reason] : rendered.skipped) {
    if (nothing || !command.arguments.quiet) {
      command.terminal.complain(fmt::format(
          "{}: {} [{}]\n", nothing ? "spark-reconcile: nothing to export" : "note", reason, id));
    }
  }
  if (!nothing) {
    command.terminal.print_always(command.arguments.format == ExportFormat::kShell
                                      ? kinds::export_text(rendered.variables)
                                      : kinds::environment_text(rendered.variables));
  }
}

Error without_rails(const config::Node& node) {
  return {ErrorCode::kNotFound,
          fmt::format("nothing to export: '{}' is on no cable or switch of the file, and has no "
                      "link with an address and an RDMA device",
                      node.name)};
}

}  // namespace

ExitCode export_environment(const Command& command) {
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) {
    return code;
  }
  auto view = view_for(command);
  if (!view) return report_error(command, view.error());
  auto selection = state::select(file->parsed.cluster, command.arguments.node, *view);
  if (!selection) return report_error(command, selection.error());
  auto& node = selection->node;
  // A file without that section still says enough.
  if (!node.environment) {
    node.environment.emplace();
  }
  if (kinds::nccl_rails(node).empty()) {
    return report_error(command, without_rails(node));
  }
  const auto rendered = rendered_for(*view, node);
  const auto code = rendered.variables.empty() ? plan::exit_code_of(rendered.skipped.front().why)
                                               : ExitCode::kDone;
  if (command.arguments.json) {
    print_json(command.terminal, "export", *file, node.name, code, json_of(rendered));
  } else {
    print_text(command, rendered);
    if (command.terminal.width() && !command.arguments.quiet && code == ExitCode::kDone) {
      // Beside the variables, which somebody may copy from the screen.
      command.terminal.complain(next_line(
          "Use it",
          "eval \"$(" + command_line_for("export", command.arguments) + " --format shell)\""));
    }
  }
  return code;
}

}  // namespace spark::cli
