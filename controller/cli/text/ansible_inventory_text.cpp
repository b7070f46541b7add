#include <cstddef>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/text/export_text.hpp"
#include "config/resolve/nodes.hpp"
#include "plan/rollout.hpp"

namespace spark::cli {
namespace {

/// Names and addresses have no character that a quoted text of YAML would escape.
std::string host_line(const std::string& name, const config::NodeSpec& node) {
  std::vector<std::string> variables;
  if (const auto address = config::management_address(node)) {
    variables.push_back(fmt::format(R"(ansible_host: "{}")", address->text()));
  }
  if (name.contains('.')) {  // the roles take the first label of a host for its node
    variables.push_back(fmt::format(R"(spark_reconcile_node: "{}")", name));
  }
  return variables.empty()
             ? fmt::format("    \"{}\": {{}}\n", name)
             : fmt::format("    \"{}\": {{ {} }}\n", name, fmt::join(variables, ", "));
}

}  // namespace

std::string ansible_inventory_text(const config::Cluster& cluster) {
  const auto groups = plan::rollout_order(nullptr, cluster).groups;
  std::map<std::string, std::size_t> group_of;
  for (std::size_t at = 0; at < groups.size(); ++at) {
    for (const auto& name : groups[at]) group_of[name] = at;
  }
  std::vector<std::string> lines(groups.empty() ? 1 : groups.size());
  std::vector<std::size_t> counts(lines.size());
  std::string away;
  for (const auto& name : config::names_by_number(cluster)) {
    const auto& node = cluster.nodes.at(name);
    const auto at = groups.empty() ? 0 : group_of.at(name);
    (node.away ? away : lines[at]) += host_line(name, node);
    counts[at] += node.away ? 0 : 1;
  }
  auto text = fmt::format(
      "# The nodes of {}, file {}, by `spark-reconcile export ansible-inventory`.\n"
      "# A roll-out begins with the first.\n",
      cluster.name, cluster.digest.substr(0, 12));
  if (!groups.empty()) {
    std::erase(counts, std::size_t{0});
    text +=
        fmt::format("# The groups of its `rollout`: -e '{{\"spark_reconcile_serial\": [{}]}}'\n",
                    fmt::join(counts, ", "));
  }
  text += fmt::format("sparks:\n  hosts:\n{}", fmt::join(lines, ""));
  if (!away.empty()) text += "sparks_away:\n  hosts:\n" + away;
  return text;
}

}  // namespace spark::cli
