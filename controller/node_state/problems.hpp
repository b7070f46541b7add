#pragma once
// problems_of: all that is wrong on this node, as its daemon knows it. The page, the verbs, the
// alerts and the events show what diagnose() makes of it.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/moment.hpp"
#include "diagnosis/diagnose.hpp"
#include "diagnosis/texts.hpp"
#include "node_state/node_state.hpp"

namespace spark::node_state {

// What to do where nothing more is known: the alerts say the same.
inline constexpr std::string_view kRemedyOfRefusedFile =
    "fix the file (`spark-reconcile validate`); the last good one stays in force";
inline constexpr std::string_view kRemedyOfRefusal =
    "`spark-reconcile plan` names each reason with its id";
inline constexpr std::string_view kRemedyOfPass =
    "`journalctl -u spark-reconcile`, or `spark-reconcile doctor`";
inline constexpr std::string_view kRemedyOfRollout =
    "`spark-reconcile sync --skip NODE --why …` goes on without a node";
inline constexpr std::string_view kRemedyOfMixed =
    "`sudo spark-reconcile apply --all` on a node that has the right file gives it to all";
inline constexpr std::string_view kRemedyOfWaitForAll =
    "`sudo spark-reconcile apply --all` gives it to all nodes, `sudo spark-reconcile apply` to "
    "this "
    "one alone";
inline constexpr std::string_view kRemedyOfMovedGid =
    "restart the jobs that were running before and use this device";
inline constexpr std::string_view kRemedyOfReceiver =
    "see that the receiver runs and that agent.yaml names it rightly";
inline constexpr std::string_view kRemedyOfDrift = "`spark-reconcile apply`, or change the file";
inline constexpr std::string_view kRemedyOfFailure =
    "`spark-reconcile plan`, then look at what the error names";
inline constexpr std::string_view kRemedyOfContest =
    "stop the other writer, or take the line out of the file";

/// "mtu enp1s0f0np0".
std::string resource_of(const auto& record) { return record.kind + " " + record.key; }

/// What the gate, the drift and the waits for jobs say of one resource is one problem. What is not
/// enforced by the file's own policy is none.
std::vector<diagnosis::Problem> problems_of(const NodeState& state, const Moment& now);

/// Of this node alone.
diagnosis::Diagnosis diagnosis_of(const NodeState& state, const Moment& now);

/// The root of what makes the verdict what it is. Null: the node is ready or released, or none of
/// the problems does.
const diagnosis::Root* decisive_root(const NodeState& state, const diagnosis::Diagnosis& diagnosis);

// Which problem is meant: what `remedy_where` asks of each.
inline auto is_named(std::string_view name, std::string_view subject = {}) {
  return [name, subject](const diagnosis::Problem& problem) {
    return problem.found.name == name &&
           (subject.empty() || problem.found.subject == subject || problem.found.link == subject);
  };
}
/// `record`: a Drift or a DisturbWait.
inline auto is_of_resource(const auto& record) {
  return [name = resource_of(record)](const diagnosis::Problem& problem) {
    return problem.resources.contains(name);
  };
}

/// What fixes the first problem that is meant, or what explains it: the same on each screen, in
/// each event and in each alert. Empty: there is none, or nothing is known.
template <class IsMeant>
Sentence remedy_where(const diagnosis::Diagnosis& diagnosis, IsMeant is_meant) {
  const auto* const root = diagnosis.root_where(is_meant);
  if (root == nullptr) return {};
  const auto again = std::ranges::find_if(root->again, is_meant);
  return text_of(again == root->again.end() ? root->problem.remedy : again->remedy);
}

}  // namespace spark::node_state
