#include "config/resolve/nodes.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace spark::config {

Result<Cluster> for_job(const Cluster& cluster, const std::set<std::string>& nodes) {
  for (const auto& name : nodes) {
    if (!cluster.nodes.contains(name)) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("the file has no node {}; it has: {}", in_quotes(name),
                              fmt::join(names_by_number(cluster), ", ")));
    }
  }
  const auto is_other = [&](const CageEnd& end) { return !nodes.contains(end.node); };
  auto job = cluster;
  std::erase_if(job.nodes, [&](const auto& node) { return !nodes.contains(node.first); });
  std::erase_if(job.fabric.segments, [&](Segment& segment) {
    if (segment.kind == Segment::Kind::kSwitch) std::erase_if(segment.ends, is_other);
    return segment.ends.size() < 2 || std::ranges::any_of(segment.ends, is_other);
  });
  const auto joined = nodes_along_cables(job.fabric, *nodes.begin());
  if (std::set(joined.begin(), joined.end()) != nodes) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format("no cable or switch of the file joins {} with each other and without other "
                    "nodes between them; `spark-reconcile topology` shows what joins which",
                    fmt::join(nodes, ", ")));
  }
  return job;
}

void keep_for_job(Node& node, const Node& of_job) {
  for (auto& [name, link] : node.links) {
    const auto kept = of_job.links.find(name);
    link.rdma = link.rdma && kept != of_job.links.end() && kept->second.rdma;
  }
  std::erase_if(node.peers, [&](const Peer& peer) {
    return std::ranges::none_of(of_job.peers, [&](const Peer& other) {
      return other.node == peer.node && other.link == peer.link;
    });
  });
}

std::optional<IpAddress> management_address(const NodeSpec& node) {
  if (!node.management) return std::nullopt;
  const auto link = node.links.find(node.management->value);
  if (link == node.links.end() || link->second.addresses.empty()) return std::nullopt;
  return link->second.addresses.front().value.ip;
}

std::vector<std::string> names_by_number(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const auto& [name, node] : cluster.nodes) names.push_back(name);
  std::ranges::stable_sort(names, {}, [&](const std::string& name) {
    const auto& number = cluster.nodes.at(name).number;
    return number ? number->value : std::numeric_limits<std::uint64_t>::max();
  });
  return names;
}

}  // namespace spark::config
