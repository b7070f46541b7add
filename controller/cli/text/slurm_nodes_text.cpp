#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/text/export_text.hpp"
#include "config/resolve/nodes.hpp"

namespace spark::cli {

Result<std::string> slurm_nodes_text(const config::Cluster& cluster) {
  auto text = fmt::format(
      "# The nodes of {}, file {}, by `spark-reconcile export slurm-nodes`.\n"
      "# What they have comes before, as `slurmd -C` prints it: NodeName=DEFAULT CPUs=...\n",
      cluster.name, cluster.digest.substr(0, 12));
  const auto first = config::first_reached(cluster.fabric);
  for (const auto& name : config::names_by_number(cluster)) {
    if (ascii_lower(name) == "default") {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("nothing to export: to slurm.conf, NodeName={} is what all nodes "
                              "have; give that node another name in the file",
                              name));
    }
    const auto& node = cluster.nodes.at(name);
    text += "NodeName=" + name;
    if (node.match.hostname) text += " NodeHostname=" + node.match.hostname->value;
    if (const auto address = config::management_address(node)) {
      text += " NodeAddr=" + address->text();
    }
    if (const auto found = first.find(name); found != first.end()) {
      text += " Features=rails_" + found->second;
    }
    text += '\n';
  }
  return text;
}

}  // namespace spark::cli
