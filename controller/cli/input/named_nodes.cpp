#include "cli/input/named_nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "config/resolve/for_job.hpp"

namespace spark::cli {

std::set<std::string> named_nodes(std::string_view names) {
  std::set<std::string> nodes;
  for (const auto name : split(names, ',')) {
    if (!name.empty()) nodes.emplace(name);
  }
  return nodes;
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
