#include "node_state/verdict_reason.hpp"

#include <fmt/format.h>

#include "node_state/problems.hpp"
#include "node_state/time_text.hpp"
#include "protocol/alive.hpp"

namespace spark::node_state {

std::string release_text(const NodeState& state) {
  if (!state.released) {
    return {};
  }
  const auto& [at, by] = *state.released;
  return fmt::format("released{}{}: nothing is set until `spark-reconcile apply` or `resume`",
                     at.empty() ? "" : " at " + at, by.empty() ? "" : " by " + by);
}

Sentence remedy_of_verdict(const NodeState& state) {
  const auto diagnosis = diagnosis_of(state, state.pass_at);
  const auto* const root = decisive_root(state, diagnosis);
  return root == nullptr ? Sentence() : text_of(root->problem.remedy);
}

Sentence why_of(const NodeState& state) {
  if (state.released) return Sentence(release_text(state));
  const auto diagnosis = diagnosis_of(state, state.pass_at);
  if (const auto* const root = decisive_root(state, diagnosis)) return text_of(root->problem);
  if (state.node.empty()) return Sentence("no cluster file has been in force yet");
  if (!state.gate) return Sentence("the gate has not looked yet");
  // What the gate saw last may be older than the verdict, which takes in more than the gate.
  return Sentence(state.gate->verdict() == state.verdict
                      ? state.gate->why()
                      : "it has changed since the gate looked last");
}

std::string why_silent(const std::optional<std::string>& alive, const Moment& now) {
  const auto since = protocol::silent_since("the daemon", now.boot, alive);
  if (!since) return since.error().what;
  if (!*since) return {};
  return fmt::format("the daemon hangs, or was killed: it has said nothing since {}",
                     utc_text(now.wall - (now.boot - **since)));
}

}  // namespace spark::node_state
