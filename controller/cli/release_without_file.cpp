#include "cli/release_without_file.hpp"

#include <optional>
#include <string>
#include <utility>

#include "state/history.hpp"
#include "state/ledger.hpp"
#include "state/node_record.hpp"

namespace spark::cli {
namespace {

/// The file that was applied to the node last; empty: none is kept, or it can no longer be read.
std::optional<ClusterFile> file_in_force(host::Files& files, const std::string& node) {
  const auto history = state::read_history(files, node);
  const auto generation = history ? state::in_force(*history) : std::nullopt;
  const auto text = generation ? state::read_generation(files, node, generation->digest)
                               : Result<std::optional<std::string>>(std::nullopt);
  if (!text || !*text) return std::nullopt;
  auto file = parse_cluster_text(generation->file, **text);
  return file.valid() ? std::optional(std::move(file)) : std::nullopt;
}

}  // namespace

Result<PastNode> find_past_node(const Command& command, host::View& view) {
  const auto& named = command.arguments.node;
  const auto node = named.empty() ? state::remembered_node(view) : named;
  if (node.empty()) {
    return fail(ErrorCode::kNotFound,
                "nothing was applied here, as far as is known, so there is nothing to hand back; "
                "if there is, name the node with -n");
  }
  if (auto owned = state::check_owner(view, node); !owned) return std::unexpected(owned.error());
  if (auto file = file_in_force(command.host.files, node)) {
    if (auto selection = state::select(file->parsed.cluster, node, view)) {
      selection->matched = node;
      return PastNode{std::move(*file), std::move(*selection)};
    }
  }
  return PastNode{{.name = state::ledger_path(node)}, {.node = {.name = node}, .matched = node}};
}

}  // namespace spark::cli
