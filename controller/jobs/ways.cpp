#include "jobs/ways.hpp"

#include <algorithm>
#include <utility>

#include "config/cages.hpp"

namespace spark::jobs {

std::vector<Way> ways_of(const config::Cluster& cluster, const config::Node& node) {
  std::vector<Way> ways;
  for (const auto& peer : node.peers) {
    const auto own = node.links.find(peer.link);
    Way way{.link = peer.link, .rail = {}, .peer = peer.node, .peer_link = {}, .peer_rail = {}};
    if (own != node.links.end()) way.rail = own->second.rail;
    if (const auto there = cluster.nodes.find(peer.node); there != cluster.nodes.end()) {
      way.peer_rail = {.cage = peer.cage, .rail = peer.rail};
      way.peer_link = config::link_of_rail(there->second, *way.peer_rail);
    }
    // A rail with addresses of IPv4 and IPv6 has its peer twice.
    const bool is_there = std::ranges::any_of(ways, [&](const Way& known) {
      return known.link == way.link && known.peer == way.peer && known.peer_link == way.peer_link;
    });
    if (!is_there) ways.push_back(std::move(way));
  }
  return ways;
}

}  // namespace spark::jobs
