#include "cli/doctor/wanted_node.hpp"

#include <utility>

#include "cli/input/cluster_file.hpp"
#include "protocol/paths.hpp"
#include "state/select.hpp"

namespace spark::cli {

std::optional<config::Node> wanted_node(const Command& command, host::View& view) {
  const auto text = command.host.files.read(protocol::kDefaultFile);
  if (!text || !*text) return std::nullopt;
  const auto file = parse_cluster_text(protocol::kDefaultFile, **text);
  if (!file.valid()) return std::nullopt;
  auto selection = state::select(file.parsed.cluster, command.arguments.node, view);
  return selection ? std::optional(std::move(selection->node)) : std::nullopt;
}

}  // namespace spark::cli
