#include "cli/text/shared_launch_text.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/text/export_text.hpp"

namespace spark::cli {
namespace {

using kinds::Variable;

/// The cages that lead to nodes. A cable to a host that is no node is for other things than jobs.
std::set<int> cages_for_jobs(const config::Cluster& cluster, std::string_view name) {
  std::set<int> cages;
  for (const auto& segment : cluster.fabric.segments) {
    for (const auto& end : segment.ends) {
      if (!segment.external && end.node == name) cages.insert(end.cage);
    }
  }
  return cages;
}

/// The names that the file gives to rails, where they are not those of a Spark.
std::map<int, std::vector<std::string>> rail_names(const config::NodeSpec& spec) {
  std::map<int, std::vector<std::string>> names;
  for (const auto& [cage, rails] : spec.cages) {
    for (const auto& rail : rails) names[cage].push_back(rail.value);
  }
  return names;
}

std::string management_of(const config::NodeSpec& spec) {
  return spec.management ? spec.management->value : std::string();
}

/// The variables that the file gives to this node alone.
std::map<std::string, std::string> own_variables(const config::NodeSpec& spec) {
  std::map<std::string, std::string> variables;
  if (spec.environment) {
    for (const auto& [name, value] : spec.environment->variables) variables[name] = value.value;
  }
  return variables;
}

const std::string* value_of(const std::vector<Variable>& variables, std::string_view name) {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found == variables.end() ? nullptr : &found->value;
}

/// The smallest network that holds them all.
IpPrefix range_of_all(const std::vector<IpPrefix>& subnets) {
  auto range = subnets.front().network();
  for (const auto& subnet : subnets) {
    while (range.prefix_len > subnet.prefix_len || !range.contains(subnet.ip)) {
      range = IpPrefix{range.ip, static_cast<std::uint8_t>(range.prefix_len - 1)}.network();
    }
  }
  return range;
}

/// This node first, the others as they follow along the cables.
std::vector<std::string> from_here_on(const config::Node& node, std::vector<std::string> nodes) {
  const auto own = std::ranges::find(nodes, node.name);
  if (own != nodes.end()) std::ranges::rotate(nodes, own);
  return nodes;
}

/// launch-cluster.sh passes these to each container by itself, from ETH_IF.
bool follows_from_eth_if(const Variable& variable, std::string_view link) {
  return variable.value == link &&
         (variable.name == "GLOO_SOCKET_IFNAME" || variable.name == "TP_SOCKET_IFNAME" ||
          variable.name == "OMPI_MCA_btl_tcp_if_include");
}

/// launch-cluster.sh has Python quote the value, and on its own node takes the quotes for a part of
/// it. Of what a value may have, shlex.quote() leaves all else as it is.
bool gets_quotes(std::string_view value) {
  return value.find_first_of("^*") != std::string_view::npos;
}

std::string vllm_addresses(const config::Node& node, const std::vector<std::string>& nodes,
                           std::string_view link) {
  const auto hosts = hosts_of_job(node, from_here_on(node, nodes));
  const bool are_ipv4 = std::ranges::all_of(hosts, [](const std::string& host) {
    return IpAddress::parse(host).has_value() && !host.contains(':');
  });
  if (!are_ipv4) {
    return fmt::format(
        "# CLUSTER_NODES and LOCAL_IP are IPv4 addresses{}, which the file does not have:\n"
        "# launch-cluster.sh looks for the nodes there.\n",
        link.empty() ? std::string() : fmt::format(" on {}", link));
  }
  const std::vector<std::string> others(hosts.begin() + 1, hosts.end());
  return fmt::format(
      "CLUSTER_NODES={}\n{}LOCAL_IP={}\n", fmt::join(hosts, ","),
      others.empty() ? std::string() : fmt::format("COPY_HOSTS={}\n", fmt::join(others, ",")),
      hosts.front());
}

}  // namespace

std::optional<std::string> difference_between_nodes(const config::Cluster& cluster,
                                                    const config::Node& node,
                                                    const std::vector<std::string>& nodes) {
  const auto& own = cluster.nodes.at(node.name);
  for (const auto& name : nodes) {
    const auto& other = cluster.nodes.at(name);
    if (cages_for_jobs(cluster, name) != cages_for_jobs(cluster, node.name)) {
      return fmt::format("{} uses other cages than {}", in_quotes(name), in_quotes(node.name));
    }
    if (rail_names(other) != rail_names(own)) {
      return fmt::format("the rails of {} have other names than those of {}", in_quotes(name),
                         in_quotes(node.name));
    }
    if (node.fabric.shared_link.empty() && management_of(other) != management_of(own)) {
      return fmt::format("{} has another management link than {}", in_quotes(name),
                         in_quotes(node.name));
    }
    if (own_variables(other) != own_variables(own)) {
      return fmt::format("the file gives {} other variables than {}", in_quotes(name),
                         in_quotes(node.name));
    }
  }
  return std::nullopt;
}

std::vector<Variable> variables_for_all(const config::Node& node,
                                        const kinds::JobVersions& versions) {
  constexpr std::string_view kRange = "NCCL_IB_ADDR_RANGE";
  auto any = node;
  any.environment->nccl_gid_index = {};
  auto variables = kinds::nccl_variables(any, versions);
  const auto range = std::ranges::find(variables, kRange, &Variable::name);
  if (range == variables.end() || node.environment->variables.contains(std::string(kRange))) {
    return variables;
  }
  const auto family = *kinds::common_family(kinds::nccl_rails(node));
  std::vector<IpPrefix> subnets;
  std::ranges::copy_if(node.fabric.subnets, std::back_inserter(subnets),
                       [&](const IpPrefix& subnet) { return subnet.ip.family() == family; });
  if (subnets.empty()) return variables;
  const auto whole = range_of_all(subnets);
  if (whole.prefix_len == 0) {
    variables.erase(range);
  } else {
    range->value = whole.text();
    range->reason = "the smallest range with the addresses of all rails of all nodes";
  }
  return variables;
}

std::string vllm_env_text(const config::Node& node, const std::vector<std::string>& nodes,
                          const std::vector<Variable>& variables) {
  const auto link = kinds::socket_link(node);
  auto text = fmt::format(
      "# .env of spark-vllm-docker, for launch-cluster.sh on {}. It gives these names to all "
      "nodes.\n{}",
      node.name, vllm_addresses(node, nodes, link));
  if (!link.empty()) text += fmt::format("ETH_IF={}\n", link);
  if (const auto* devices = value_of(variables, "NCCL_IB_HCA")) {
    text += fmt::format("IB_IF={}\n", kinds::without_exact_sign(*devices));
  }
  std::string_view reason;
  for (const auto& variable : variables) {
    if (!link.empty() && follows_from_eth_if(variable, link)) continue;
    if (reason != variable.reason) text += fmt::format("\n# {}\n", variable.reason);
    reason = variable.reason;
    text +=
        gets_quotes(variable.value)
            ? fmt::format("# left out, since launch-cluster.sh would put quotes into it: {}={}\n",
                          variable.name, variable.value)
            : fmt::format("CONTAINER_{}={}\n", variable.name, variable.value);
  }
  return text;
}

std::string sparkrun_text(const config::Node& node, const std::vector<std::string>& nodes,
                          const std::vector<Variable>& variables) {
  constexpr std::string_view kIndexVariable = "NCCL_IB_GID_INDEX";
  auto name = node.cluster;
  std::ranges::replace(name, '.', '-');
  auto text = fmt::format(
      "# Once: sparkrun cluster create {} --hosts {}\n"
      "# `env` of a recipe comes before what sparkrun detects.\n"
      "env:\n",
      name, fmt::join(hosts_of_job(node, nodes), ","));
  auto given = variables;
  if (value_of(variables, kIndexVariable) == nullptr) {
    given.push_back({std::string(kIndexVariable), "-1",
                     "sparkrun gives the index of one node to all: -1 has NCCL look for each GID"});
  }
  std::string_view reason;
  for (const auto& variable : given) {
    if (reason != variable.reason) text += fmt::format("  # {}\n", variable.reason);
    reason = variable.reason;
    text += fmt::format("  {}: \"{}\"\n", variable.name, variable.value);
  }
  return text;
}

}  // namespace spark::cli
