#pragma once
// select: which node of the file this machine is, and what the file asks of it.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/cages.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"
#include "host/view.hpp"
#include "protocol/peers.hpp"

namespace spark::state {

struct Selection {
  config::Node node;
  std::string matched;      ///< the node that this machine is; empty: none
  bool remembered = false;  ///< `matched` is by memory, not by name or `match:`
};

/// The links as `config` takes them, with their RDMA ports.
std::vector<config::Netdev> netdevs(host::View& view, const std::vector<host::LinkInfo>& links);

/// Which node of the file this machine is.
struct OwnNode {
  std::string name;         ///< empty: none
  bool remembered = false;  ///< `name` is by memory, not by name or `match:`
};

/// A machine that has been a node stays that node until the file gives it to another. Errors: those
/// of the view.
Result<OwnNode> own_node(const config::Cluster& cluster, host::View& view);

/// Why this machine is no node of the file, and what to do about that.
struct NoNode {
  std::string what;
  std::string remedy;
};

/// Empty: it is one, or cannot be told.
std::optional<NoNode> why_no_node(const config::Cluster& cluster, host::View& view);

/// Takes the node named `asked`; if `asked` is empty, the node that this machine is.
/// Errors: kNotFound when there is none, saying what the file has and how to choose; kInvalid when
/// another machine wrote the state of that node.
Result<Selection> select(const config::Cluster& cluster, const std::string& asked,
                         host::View& view);

/// The addresses at the other ends of its rails, in the order of the file, without those of hosts
/// that are no nodes.
std::vector<protocol::ExpectedPeer> expected_peers(const config::Node& node);

}  // namespace spark::state
