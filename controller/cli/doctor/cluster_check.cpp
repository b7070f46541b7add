#include "cli/doctor/cluster_check.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/cluster/cluster_here.hpp"
#include "cli/doctor/causes.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/state_here/told_here.hpp"
#include "cluster/make_view.hpp"
#include "cluster/wiring.hpp"
#include "diagnosis/texts.hpp"

namespace spark::cli {
namespace {

/// What its daemon says of this node beside its gate has rows of its own.
bool is_of_own_daemon(const diagnosis::Problem& problem, const cluster::ClusterView& view) {
  return problem.node == view.nodes.front().name &&
         (is_of_this_node_alone(problem) || problem.found.name == diagnosis::kVerdict);
}

}  // namespace

std::optional<ClusterHere> known_cluster(const Command& command) {
  const auto told = told_here(command.host);
  if (!told) return std::nullopt;
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file || !file->valid()) return std::nullopt;
  const auto known = cluster_here(command, *file, told->own.node);
  if (!known) return std::nullopt;
  auto view = cluster::cluster_view(*known);
  auto wiring = cluster::wiring_of(*known, view.nodes);
  return ClusterHere{.view = std::move(view), .wiring = std::move(wiring)};
}

void add_problems(const ClusterHere& here, Examination& examination) {
  examination.wiring = here.wiring;
  auto& around = examination.around;
  for (const auto& [problem, again, effects] : here.view.roots) {
    around.push_back(problem);
    around.insert(around.end(), again.begin(), again.end());
    around.insert(around.end(), effects.begin(), effects.end());
  }
}

bool is_of_versions(const diagnosis::Problem& problem) {
  return problem.found.name == diagnosis::kCopy || problem.found.name == diagnosis::kOtherVersion;
}

Finding nodes_finding(const diagnosis::Root& root, Severity severity, const std::string& head) {
  auto problems = root.again;
  problems.insert(problems.begin(), root.problem);
  return {.name = "nodes",
          .severity = severity,
          .what = head + written(text_of(root.problem)),
          .remedy = written(text_of(root.problem.remedy)),
          .problems = std::move(problems),
          .repeats = true};
}

void add_nodes(const cluster::ClusterView& view, Examination& examination) {
  const auto& own = view.nodes.front();
  Findings closing;  // what follows from the gate's row follows from the first
  Findings others;
  for (const auto& root : view.roots) {
    const auto& cause = root.problem;
    const bool has_a_row = is_of_own_daemon(cause, view) || is_of_versions(cause);
    if (has_a_row || has_row(cause, examination)) continue;
    const bool closes_our_gate =
        own.verdict == protocol::Verdict::kNotReady && cause.node == own.follows_from;
    (closes_our_gate ? closing : others)
        .push_back(nodes_finding(root, closes_our_gate ? Severity::kPrevents : Severity::kLook,
                                 cause.node + ": "));
  }
  auto& findings = findings_in(Section::kCluster, examination);
  for (auto* list : {&closing, &others}) std::ranges::move(*list, std::back_inserter(findings));
}

}  // namespace spark::cli
