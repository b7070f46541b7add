#include "cli/plan/own_node.hpp"

#include <fmt/format.h>

#include "state/node_record.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

/// Ignores a file with errors or without this machine, and a default file that is absent: a
/// rollback needs none of it.
Result<state::OwnNode> known_node(const Command& command, host::View& view) {
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file && !command.arguments.file.empty()) return std::unexpected(file.error());
  if (file && file->valid()) {
    auto own = state::own_node(file->parsed.cluster, view);
    if (!own || !own->name.empty()) return own;
  }
  return state::OwnNode{.name = state::remembered_node(view), .remembered = true};
}

}  // namespace

std::expected<std::string, ExitCode> find_own_node(const Command& command) {
  host::View view(command.host);
  const auto own = known_node(command, view);
  if (!own) return std::unexpected(report_error(command, own.error()));
  const auto& asked = command.arguments.node;
  if (!asked.empty() && !own->name.empty() && asked != own->name) {
    return std::unexpected(report_error(
        command,
        {ErrorCode::kInvalid,
         fmt::format("this machine {} '{}', not '{}'; nothing was touched",
                     own->remembered ? "was last" : "is by the file", own->name, asked)},
        ExitCode::kRefused));
  }
  const auto& name = own->name.empty() ? asked : own->name;
  if (name.empty()) return name;
  if (const auto owned = state::check_owner(view, name); !owned) {
    return std::unexpected(report_error(command, owned.error()));
  }
  return name;
}

}  // namespace spark::cli
