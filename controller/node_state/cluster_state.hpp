#pragma once
// ClusterState: what the daemon knows of the cluster beyond this node: whom it proved, whom
// spark-peers heard, what `bench` measured.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "base/moment.hpp"

namespace spark::node_state {

/// One peer over one rail of this node.
struct PeerRail {
  std::string peer;
  std::string link;  ///< our rail
  int cage = 0;      ///< ours
  int rail = 0;
  IpAddress ip;              ///< the peer's
  std::optional<bool> echo;  ///< it answered the last echo; empty: it was asked none yet
  std::optional<bool> rdma;  ///< RDMA was proven both ways; empty: not known
  Moment asked;              ///< of the last look that asked it for one; not set: none did
  Moment tried;              ///< when both ends last began to try RDMA; not set: never
};

template <EitherConst<PeerRail> T, class Visit>
void each_field(T& rail, Visit visit) {
  visit("peer", rail.peer);
  visit("link", rail.link);
  visit("cage", rail.cage);
  visit("rail", rail.rail);
  visit("ip", rail.ip);
  visit("echo", rail.echo);
  visit("rdma", rail.rdma);
  visit("asked", may_lack(rail.asked));
  visit("tried", may_lack(rail.tried));
}

/// A peer, and when a hello of it was last heard.
struct HeardPeer {
  std::string peer;
  Moment at;  ///< of one that is heard now, the look; not set: never since this boot
};

template <EitherConst<HeardPeer> T, class Visit>
void each_field(T& heard, Visit visit) {
  visit("peer", heard.peer);
  visit("at", heard.at);
}

/// One number of the last measurement with a peer.
struct BenchRate {
  std::string peer;
  std::string links;            ///< ours, joined by commas
  std::string operation;        ///< "write" or "read"
  std::string direction;        ///< of the bytes: "to" the peer, "from" it, or "both"
  double bytes_per_second = 0;  ///< of all these links together
  double best = 0;              ///< the most of the kept measurements that are like it
};

template <EitherConst<BenchRate> T, class Visit>
void each_field(T& rate, Visit visit) {
  visit("peer", rate.peer);
  visit("links", rate.links);
  visit("operation", rate.operation);
  visit("direction", rate.direction);
  visit("bytes_per_second", rate.bytes_per_second);
  visit("best", rate.best);
}

/// Looked at together with the gate.
struct ClusterState {
  std::size_t nodes = 0;  ///< of the file in force
  std::vector<PeerRail> rails;
  std::vector<HeardPeer> heard;
  std::vector<BenchRate> bench;  ///< of the newest measurement with each peer
};

template <EitherConst<ClusterState> T, class Visit>
void each_field(T& cluster, Visit visit) {
  visit("nodes", cluster.nodes);
  visit("rails", cluster.rails);
  visit("heard", cluster.heard);
  visit("bench", cluster.bench);
}

}  // namespace spark::node_state
