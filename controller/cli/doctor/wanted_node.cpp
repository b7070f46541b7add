#include "cli/doctor/wanted_node.hpp"

#include <utility>

#include "cli/input/cluster_file.hpp"
#include "state/select.hpp"

namespace spark::cli {

Result<ClusterFile> file_here(const Command& command) {
  return read_cluster_file({.file = command.arguments.file, .root = command.arguments.root},
                           command.host.files);
}

std::optional<config::Node> wanted_node(const Command& command, host::View& view) {
  const auto file = file_here(command);
  if (!file || !file->valid()) return std::nullopt;
  auto selection = state::select(file->parsed.cluster, command.arguments.node, view);
  return selection ? std::optional(std::move(selection->node)) : std::nullopt;
}

bool is_left_to_host(const config::Node& node, const std::string& link) {
  const auto wanted = node.links.find(link);
  return (node.management && node.management->value == link) ||
         (wanted != node.links.end() && wanted->second.owner_host);
}

}  // namespace spark::cli
