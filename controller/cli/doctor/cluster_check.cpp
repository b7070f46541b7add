#include "cli/doctor/cluster_check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/cluster/cluster_here.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/told_here.hpp"
#include "cluster/make_view.hpp"
#include "cluster/problems.hpp"
#include "cluster/view_words.hpp"

namespace spark::cli {
namespace {

/// Of the file in force, also where that comes from git.
std::optional<cluster::ClusterView> known_cluster(const Command& command) {
  const auto told = told_here(command.host);
  if (!told) return std::nullopt;
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file || !file->valid()) return std::nullopt;
  const auto known = cluster_here(command, *file, told->own.node);
  return known ? std::optional(cluster::cluster_view(*known)) : std::nullopt;
}

}  // namespace

NodeInCluster node_in_cluster(const Command& command, const std::string& node) {
  auto view = known_cluster(command);
  if (!view) return {};
  std::erase_if(view->roots,
                [&](const diagnosis::Root& root) { return root.problem.node != node; });
  const auto seen = std::ranges::find(view->nodes, node, &cluster::NodeView::name);
  return {.roots = std::move(view->roots),
          .is_away = seen != view->nodes.end() && seen->is_away,
          .has_rollout = view->rollout && cluster::is_under_way(*view->rollout)};
}

Findings findings_of_cluster(const cluster::ClusterView& view) {
  Findings findings;
  const auto& node = view.nodes.front();
  const auto& own = node.name;
  for (const auto& root : view.roots) {
    const auto& cause = root.problem;
    const bool is_own = cause.node == own;
    // Without an id it is what the daemon says, which has a row of its own, or a way.
    const bool is_of_daemon =
        is_own && cause.found.id.empty() && rank_of(cause) != diagnosis::Rank::kRelation;
    const bool closes_our_gate =
        node.verdict == protocol::Verdict::kNotReady && cause.node == node.follows_from;
    // check_versions names the disks of two other nodes too.
    const bool has_a_row = cluster::is_of_versions(cause, closes_our_gate ? own : cause.node);
    if (is_of_daemon || has_a_row) continue;
    findings.push_back({kNodesFinding, closes_our_gate ? Severity::kPrevents : Severity::kLook,
                        fmt::format("{}: {}", cause.node, text_of(cause)), text_of(cause.remedy)});
  }
  // What follows from these follows from the first.
  std::ranges::stable_partition(
      findings, [](const Finding& finding) { return finding.severity == Severity::kPrevents; });
  return findings;
}

Findings check_cluster(const Command& command) {
  const auto view = known_cluster(command);
  return view ? findings_of_cluster(*view) : Findings{};
}

}  // namespace spark::cli
