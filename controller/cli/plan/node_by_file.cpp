#include "cli/plan/node_by_file.hpp"

#include <utility>

#include "cli/input/named_nodes.hpp"
#include "state/select.hpp"

namespace spark::cli {

std::expected<NodeByFile, ExitCode> node_by_file(const Command& command) {
  const auto& arguments = command.arguments;
  auto file = read_cluster_file(arguments, command.host.files);
  const bool may_lack = arguments.file.empty();
  if (!file && may_lack && file.error().code == ErrorCode::kNotFound) return NodeByFile{};
  if (!file) return std::unexpected(report_error(command, file.error()));
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) {
    return std::unexpected(code);
  }
  if (const auto none = no_such_node(*file, arguments)) {
    return std::unexpected(report_error(command, *none));
  }
  const auto& cluster = file->parsed.cluster;
  host::View view(command.host);
  const auto own = state::own_node(cluster, view);
  if (!own) return std::unexpected(report_error(command, own.error()));
  const bool is_other =
      !own->name.empty() && !arguments.node.empty() && own->name != arguments.node;
  auto selection = state::select(cluster, is_other ? own->name : arguments.node, view);
  if (!selection) return std::unexpected(report_error(command, selection.error()));
  return NodeByFile{.node = std::move(selection->node),
                    .cluster = std::move(file->parsed.cluster),
                    .other = is_other ? arguments.node : std::string()};
}

}  // namespace spark::cli
