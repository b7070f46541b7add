#include "daemon/common/known_node.hpp"

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "daemon/common/time_text.hpp"
#include "daemon/common/verdict_reason.hpp"
#include "gate/common/facts.hpp"

namespace spark::daemon {
namespace {

cluster::FileOrigin origin_of(const NodeState& state, const Moment& now) {
  cluster::FileOrigin origin{
      .name = {}, .digest = state.file.digest, .commit = {}, .principal = {}, .age = {}};
  const auto& source = state.source;
  if (source && !source->commit.empty() && source->digest == state.file.digest) {
    origin.commit = printable(source->commit);
    origin.principal = printable(source->principal);
    const std::chrono::sys_seconds committed{std::chrono::seconds(source->time)};
    origin.age = std::max(std::chrono::floor<std::chrono::milliseconds>(now.wall - committed),
                          std::chrono::milliseconds(0));
  }
  return origin;
}

/// Of its gate, with what this node can do about each.
std::vector<diagnosis::Problem> problems_of_gate(const NodeState& state) {
  std::vector<diagnosis::Problem> problems;
  const auto add = [&](const gate::Fact& fact, const std::string& link) {
    if (!gate::is_wrong(fact)) return;
    const bool is_apply = fact.action == protocol::Action::kApply;
    problems.push_back(
        {.node = state.node,
         .found = gate::problem_of(fact, link),
         .verdict = fact.verdict,
         .counts = fact.counts,
         .remedy = {.text = fact.remedy, .command = is_apply ? "spark-reconcile apply" : ""}});
  };
  for (const auto& rail : state.gate->rails) {
    for (const auto& fact : rail.facts) add(fact, rail.link);
  }
  for (const auto& fact : state.gate->node) add(fact, "");
  return problems;
}

}  // namespace

cluster::OwnNode own_node(const NodeState& state, const Moment& now) {
  cluster::OwnNode own{.name = state.node,
                       .verdict = state.verdict,
                       .why = {},
                       .since = {},
                       .version = state.version,
                       .file = origin_of(state, now),
                       .problems = {},
                       .differs = {}};
  if (state.verdict != gate::Verdict::kReady) own.why = printable(why_of(state));
  if (is_set(state.verdict_since)) own.since = age(state.verdict_since, now);
  if (state.gate) own.problems = problems_of_gate(state);
  return own;
}

cluster::KnownRollout known_rollout(const NodeState& state, const Moment& now) {
  cluster::KnownRollout known{.groups = {}, .held = {}};
  if (state.rollout && !state.rollout->digest.empty()) {
    const auto& held = *state.rollout;
    known.held = {.digest = held.digest,
                  .since = age(held.since, now),
                  .waits = held.waits,
                  .skipped = held.skipped};
  }
  if (state.source) {
    for (const auto& failed : state.source->bad) known.bad.push_back(failed.digest);
  }
  return known;
}

}  // namespace spark::daemon
