#pragma once
// OtherNode: how another node of the file is, as far as this one was told, and how that is shown.

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/state_here/node_here.hpp"
#include "cli/terminal.hpp"
#include "cluster/told.hpp"
#include "gate/common/facts.hpp"

namespace spark::cli {

struct OtherNode {
  std::string name;
  bool is_own = false;           ///< it is this node, and nobody has to hear it
  cluster::LatestReport latest;  ///< of this node: the digest of its file alone
  /// kUnknown: it is silent, was not heard, or said no verdict that is known. What it said before
  /// it went silent is no news.
  gate::Verdict verdict = gate::Verdict::kUnknown;
  std::string why;  ///< its first reason; empty: it is ready, or told none
  /// Since latest.heard_at. Empty: nobody heard it since this node booted.
  std::optional<std::chrono::milliseconds> heard_ago;
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

/// "ready, heard 2 s ago"; of a node that is not heard, since when.
std::string heard_text(const OtherNode& node);

/// "spark2 is not ready, heard 2 s ago: …", with its first reason.
std::string verdict_clause(const OtherNode& node);

/// A line a node, with a heading; empty where there is none.
std::string other_nodes_text(const std::vector<OtherNode>& nodes, const Terminal& terminal);

}  // namespace spark::cli
