#include "daemon/common/verdict_reason.hpp"

#include <fmt/format.h>

#include "protocol/alive.hpp"

namespace spark::daemon {

std::string release_text(const NodeState& state) {
  if (!state.released) {
    return {};
  }
  const auto& [at, by] = *state.released;
  return fmt::format("released{}{}: nothing is set until `spark-reconcile apply` or `resume`",
                     at.empty() ? "" : " at " + at, by.empty() ? "" : " by " + by);
}

std::string remedy_of_verdict(const NodeState& state) {
  const bool is_of_gate = !state.released && !state.node.empty() && state.gate &&
                          state.gate->verdict() == state.verdict;
  const auto* const fact = is_of_gate ? state.gate->decisive().fact : nullptr;
  return fact == nullptr ? std::string() : fact->remedy;
}

std::string why_of(const NodeState& state) {
  if (state.released) {
    return release_text(state);
  }
  if (state.node.empty()) {
    if (!state.file.refused.empty()) {
      return "the cluster file is refused: " + state.file.refused_first;
    }
    // A file is there, and this machine is not its node: its disk is a copy, say.
    return state.pass_error.empty() ? "no cluster file has been in force yet" : state.pass_error;
  }
  if (!state.gate) {
    return state.pass_error.empty() ? "the gate has not looked yet" : state.pass_error;
  }
  // What the gate saw last may be older than the verdict, which takes in more than the gate.
  if (state.gate->verdict() != state.verdict) {
    if (!state.pass_error.empty()) return state.pass_error;
    if (!state.refusals.empty()) return state.refusals.front();
    return "it has changed since the gate looked last";
  }
  return state.gate->why();
}

std::string why_silent(const std::optional<std::string>& alive, const Moment& now) {
  const auto since = protocol::silent_since("the daemon", now.boot, alive);
  if (!since) return since.error().what;
  if (!*since) return {};
  return fmt::format("the daemon hangs, or was killed: it has said nothing since {}",
                     utc_text(now.wall - (now.boot - **since)));
}

}  // namespace spark::daemon
