#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/text/export_text.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

/// How mpirun reaches it.
std::string host_of(const std::string& name, const config::Node& node) {
  const auto& shared = node.fabric.shared_link;
  if (shared.empty()) return name;
  if (name == node.name) return node.links.at(shared).addresses.front().value.ip.text();
  const auto peer = std::ranges::find_if(node.peers, [&](const config::Peer& other) {
    return other.node == name && other.link == shared;
  });
  return peer == node.peers.end() ? name : peer->ip.text();
}

}  // namespace

std::vector<std::string> hosts_of_job(const config::Node& node,
                                      const std::vector<std::string>& nodes) {
  std::vector<std::string> hosts;
  for (const auto& name : nodes) hosts.push_back(host_of(name, node));
  return hosts;
}

std::string mpi_hostfile_text(const config::Node& node, const std::vector<std::string>& nodes) {
  std::string text =
      fmt::format("# {}: one rank a node, in the order of the cables\n",
                  node.fabric.shared_link.empty()
                      ? "no cable or switch joins all nodes: mpirun reaches them by their names"
                      : "by rail 0 of the cable or switch that joins all nodes");
  for (const auto& host : hosts_of_job(node, nodes)) text += fmt::format("{} slots=1\n", host);
  return text;
}

std::string mpirun_text(const config::Node& node, const std::vector<std::string>& nodes,
                        std::string_view named, bool has_file) {
  const auto of = named.empty() ? std::string() : fmt::format(" --nodes {}", named);
  const auto exported = fmt::format("eval \"$(spark-reconcile export --format shell{})\"", of);
  // sh is not zsh, which reads the file in another way.
  const auto environment =
      has_file ? fmt::format("set -a; . {}; set +a", protocol::kNcclEnvironment) : exported;
  const auto hosts = hosts_of_job(node, nodes);
  return fmt::format(
      "# for mpirun itself; each rank then takes the environment of its own node\n{}\n"
      "mpirun --host {} -np {} --map-by ppr:1:node sh -c '{}; exec \"$@\"' sh PROGRAM\n",
      exported, fmt::join(hosts, ","), hosts.size(), environment);
}

std::string docker_arguments_text() {
  // What docker itself gave a container (moby/moby#24555), and the most without another
  // fs.nr_open (sysctl/fs.rst). Since moby/moby#45534 a container has systemd's soft limit, 1024,
  // and one connection of NCCL after another takes a descriptor.
  constexpr int kMostOpenFiles = 1 << 20;
  return fmt::format(
      "--env-file {} --network host --ipc host --gpus all --device /dev/infiniband "
      "--ulimit memlock=-1 --ulimit stack=67108864 --ulimit nofile={}\n",
      protocol::kNcclEnvironment, kMostOpenFiles);
}

}  // namespace spark::cli
