#include "cli/input/named_nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/input/typed_line.hpp"
#include "config/resolve/nodes.hpp"

namespace spark::cli {

std::set<std::string> named_nodes(std::string_view names) {
  std::set<std::string> nodes;
  for (const auto name : split(names, ',')) {
    if (!name.empty()) nodes.emplace(name);
  }
  return nodes;
}

std::optional<Error> no_such_node(const ClusterFile& file, const std::string& name) {
  const auto& nodes = file.parsed.cluster.nodes;
  if (nodes.contains(name)) return std::nullopt;
  return Error{ErrorCode::kNotFound,
               fmt::format("the file has no node {}; it has: {}", in_quotes(name),
                           fmt::join(config::names_by_number(file.parsed.cluster), ", "))};
}

std::optional<Error> no_such_node(const ClusterFile& file, const Arguments& arguments) {
  if (arguments.node.empty()) return std::nullopt;
  auto none = no_such_node(file, arguments.node);
  const TypedLine line(arguments.typed);
  const auto* option = typed_option(line, "--node");
  // Where something is changed, no other node is chosen for the user.
  const auto names = config::names_by_number(file.parsed.cluster);
  const bool only_looks = arguments.verb == nullptr || !arguments.verb->needs_root;
  if (none && option != nullptr && only_looks && !names.empty()) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = closest(arguments.node, views).value_or(views.front());
    none->what += ": " + line_with_value(line, *option, std::string(near));
  }
  return none;
}

Result<config::Cluster> cluster_for(const std::set<std::string>& nodes,
                                    const config::Cluster& cluster, const std::string& own) {
  if (nodes.empty()) return cluster;
  auto job = config::for_job(cluster, nodes);
  if (!job || nodes.contains(own)) return job;
  return fail(ErrorCode::kInvalid,
              fmt::format("'{}' is not among --nodes {}: run it there, or name it too", own,
                          fmt::join(nodes, ",")));
}

}  // namespace spark::cli
