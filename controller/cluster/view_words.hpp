#pragma once
// view_words: what screens and page say of a ClusterView in the same words.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster_view.hpp"

namespace spark::cluster {

/// Of more nodes, the table of the ways has only those that something is wrong with.
inline constexpr std::size_t kMostInMatrix = 8;

/// The largest unit alone: "3 d".
std::string age_text(std::chrono::milliseconds age);

/// As much of a digest, or of a commit, as people compare: "832c98e".
std::string digest_text(std::string_view digest);
/// The beginning of its commit, or else of its digest.
std::string file_text(const FileOrigin& file);
/// "cluster.yaml · digest 832c98e", "git 3f9a1c0 (signed: alice@lab, 4 min ago)".
std::string origin_text(const FileOrigin& file);

// --- of a node

/// It is this one, or is heard.
bool is_heard(const NodeView& node);
/// Nobody waits for the nodes that are away.
std::size_t awaited_nodes(const ClusterView& view);
bool are_all_ready(const ClusterView& view);
/// Of the others.
protocol::Verdict worst_of(const ClusterView& view);
/// "2 of 3 ready", "2 of 2 ready, 1 away".
std::string ready_text(const ClusterView& view);
/// "here", "2 s", "by spark2", "never".
std::string heard_text(const NodeView& node);
/// "832c98e"; "≠ 2b77d10" for another than here; "–" where it is not known.
std::string node_file_text(const NodeView& node, const ClusterView& view);
/// "3/4"; "–" where it is not known.
std::string rails_text(const NodeView& node);

// --- of the ways

/// What pictures and tables show of a way. Of a silent node nothing is known. Over a cable that
/// leads elsewhere, without a carrier, and with another MTU at one end nothing passes, also where
/// nobody was asked.
protocol::Reach shown_reach(const WayView& way);
std::string_view sign_of(protocol::Reach reach);
/// "echo and RDMA", "echo only", "neither", "not known".
std::string_view words_of(protocol::Reach reach);

/// What one node is to another.
struct MatrixCell {
  std::vector<protocol::Reach> rails;  ///< the worse one of two cables; empty: see `word`
  std::string_view why;                ///< of the first way that is not proven
  std::string_view word;               ///< "·": the node itself; "–": no cable joins the two
};
MatrixCell matrix_cell(const ClusterView& view, std::string_view row, std::string_view column);

/// All nodes; of many, those with a way that is not proven, and of these those with the most.
std::vector<std::string> names_in_matrix(const ClusterView& view);
/// "12 pairs of nodes not shown: 12 proven over every rail"; empty: all are shown.
std::string left_out_of_matrix(const ClusterView& view, const std::vector<std::string>& names);
/// "rail 0 / rail 1: ✓ echo and RDMA, e echo only, ✗ neither, ? not known". `gap`: behind the
/// rails.
std::string matrix_legend(const ClusterView& view, const std::vector<std::string>& names,
                          std::string_view gap = " ");

}  // namespace spark::cluster
