#include "cli/text/export_text.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "config/agent.hpp"
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

namespace {

/// How Prometheus reaches it: never over a rail, which has other things to do.
std::string target_of(const std::string& name, const config::NodeSpec& node) {
  const auto port = config::Agent{}.listen.value.port;
  if (const auto address = config::management_address(node)) {
    return config::text_of(config::Endpoint{*address, port});
  }
  return fmt::format("{}:{}", name, port);
}

}  // namespace

std::string prometheus_sd_text(const config::Cluster& cluster) {
  auto groups = nlohmann::json::array();
  for (const auto& [name, node] : cluster.nodes) {
    nlohmann::json labels = {{"instance", name}, {"__meta_spark_reconcile_cluster", cluster.name}};
    if (node.number) labels["__meta_spark_reconcile_number"] = std::to_string(node.number->value);
    groups.push_back({{"targets", {target_of(name, node)}}, {"labels", std::move(labels)}});
  }
  return json_text(groups, 2) + "\n";
}

namespace {

/// Empty: by its name.
std::string ssh_address(const std::string& name, const config::NodeSpec& node,
                        const std::vector<config::Peer>& peers) {
  if (const auto address = config::management_address(node)) return address->text();
  const auto peer = std::ranges::find(peers, name, &config::Peer::node);
  return peer == peers.end() ? std::string() : peer->ip.text();
}

/// "ssh-ed25519 AAAA…", without a comment, and nothing that could be another line or a pattern.
/// Empty: it is no key.
std::string host_key_in(std::string_view text) {
  const auto is_all = [](std::string_view word, std::string_view more) {
    return !word.empty() &&
           std::ranges::all_of(word, [&](char c) { return is_ascii_alnum(c) || more.contains(c); });
  };
  const auto blank = std::min(text.find(' '), text.size());
  const auto kind = text.substr(0, blank);
  auto key = text.substr(std::min(blank + 1, text.size()));
  key = key.substr(0, key.find(' '));
  const bool is_key = is_all(kind, "-@.") && kind.front() != '@' && is_all(key, "+/=");
  return is_key ? fmt::format("{} {}", kind, key) : std::string();
}

}  // namespace

std::string ssh_config_text(const config::Cluster& cluster,
                            const std::vector<config::Peer>& peers) {
  auto text = fmt::format(
      "# The nodes of {}, file {}, by `spark-reconcile export ssh-config`. For ~/.ssh/config:\n"
      "#   spark-reconcile export ssh-config > ~/.ssh/config.spark\n"
      "#   spark-reconcile export known-hosts > ~/.ssh/known_hosts.spark\n"
      "# and `Include config.spark` at the top of ~/.ssh/config. Who may log in stays as it is.\n",
      cluster.name, cluster.digest.substr(0, 12));
  for (const auto& name : config::names_by_number(cluster)) {
    text += fmt::format("Host {}\n", name);
    const auto address = ssh_address(name, cluster.nodes.at(name), peers);
    if (!address.empty()) text += fmt::format("  HostName {}\n", address);
    text += fmt::format(
        "  HostKeyAlias {}\n  UserKnownHostsFile ~/.ssh/known_hosts.spark ~/.ssh/known_hosts\n",
        name);
  }
  return text;
}

std::string known_hosts_text(const config::Cluster& cluster, const std::vector<config::Peer>& peers,
                             const std::map<std::string, std::vector<std::string>>& host_keys) {
  std::string text;
  for (const auto& [name, keys] : host_keys) {
    const auto node = cluster.nodes.find(name);
    if (node == cluster.nodes.end()) continue;
    const auto address = ssh_address(name, node->second, peers);
    for (const auto& key : keys) {
      const auto clean = host_key_in(key);
      if (clean.empty()) continue;
      text += fmt::format("{}{}{} {}\n", name, address.empty() ? "" : ",", address, clean);
    }
  }
  return text;
}

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
