#include "node_state/known_node.hpp"

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "diagnosis/kinds.hpp"
#include "node_state/problems.hpp"
#include "node_state/time_text.hpp"
#include "node_state/verdict_reason.hpp"

namespace spark::node_state {
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

/// What nodes tell each other of. What else is wrong here is for who looks at this node.
std::vector<diagnosis::Problem> shared_problems(const NodeState& state, const Moment& now) {
  auto problems = problems_of(state, now);
  std::erase_if(problems, [](const diagnosis::Problem& problem) {
    return diagnosis::is_of_this_node_alone(problem);
  });
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
  if (state.verdict != gate::Verdict::kReady) own.why = printable(written(why_of(state)));
  if (is_set(state.verdict_since)) own.since = age(state.verdict_since, now);
  own.problems = shared_problems(state, now);
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

}  // namespace spark::node_state
