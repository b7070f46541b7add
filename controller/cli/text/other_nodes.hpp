#pragma once
// OtherNode: how another node of the file stands, as far as this one was told.

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/state_here/node_here.hpp"
#include "cli/state_here/told_here.hpp"
#include "gate/common/facts.hpp"

namespace spark::cli {

struct OtherNode {
  std::string name;
  /// kUnknown: it is silent, was not heard, or said no verdict that is known. What it said before
  /// it went silent is no news.
  gate::Verdict verdict = gate::Verdict::kUnknown;
  std::string why;      ///< its first reason; empty: it is ready, or told none
  bool is_own = false;  ///< it is this node, and nobody has to hear it
  /// Since its last hello; of who is heard through a neighbour, since the last of that one, which
  /// says that it still holds. Empty: nobody heard it since this node booted.
  std::optional<std::chrono::milliseconds> heard_ago;
  bool is_silent = false;            ///< three of its hellos did not come
  std::string told_before;           ///< the verdict of a silent node's last hello
  std::string told_by;               ///< the neighbour that passed it on; empty: its own hello
  std::string file;                  ///< the beginning of the digest of its file; empty: not known
  std::optional<bool> has_our_file;  ///< empty: one of the two is not known
  std::size_t rails = 0;             ///< of this node that lead to it
  std::size_t proven = 0;            ///< of these: RDMA moved bytes both ways, last time
};

/// One for each of `names` but this node, in their order. `now`: CLOCK_BOOTTIME.
std::vector<OtherNode> other_nodes(const cluster::Told& told, const std::set<std::string>& names,
                                   std::chrono::milliseconds now);

/// This node in the same form, as its daemon says that it stands. Empty `here`: none has said it.
OtherNode own_node_of(const std::string& name, const std::optional<NodeHere>& here);

nlohmann::json to_json(const OtherNode& node);

}  // namespace spark::cli
