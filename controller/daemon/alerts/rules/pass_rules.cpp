#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/alerts/rules/rules.hpp"
#include "diagnosis/kinds.hpp"

namespace spark::daemon {

void find_config_refused(const NodeState& state, FoundAlerts& found) {
  // Who begins to follow a repository has no file of it for a moment.
  if (state.file.refused.empty() || first_fetch_may_come(state)) return;
  auto& alert = found.add_about(node_state::is_named(diagnosis::kRefusedFile), {},
                                fmt::format("the file was refused: {}", state.file.refused_first),
                                state.file.refused_since);
  alert.description = state.file.refused;
}

bool file_is_judged(const Alert& /*alert*/, const NodeState& state) {
  return !state.file.digest.empty();
}

std::string how_refusal_of_file_ended(const Alert& /*alert*/, const NodeState& /*state*/) {
  return "a file was accepted";
}

void find_changes_refused(const NodeState& state, FoundAlerts& found) {
  if (state.refusals.empty()) return;
  auto& alert =
      found.add_about(node_state::is_named(diagnosis::kRefusal), {},
                      fmt::format("nothing is changed: {}", state.refusals.front()), state.pass_at);
  alert.description = fmt::format("{}", fmt::join(state.refusals, "\n"));
}

void find_pass_failing(const NodeState& state, FoundAlerts& found) {
  if (state.pass_error.empty()) return;
  found.add_about(node_state::is_named(diagnosis::kPass), {},
                  fmt::format("this node cannot be looked at: {}", state.pass_error),
                  state.pass_at);
}

void find_state_lost(const NodeState& state, FoundAlerts& found) {
  if (!state.loss) return;
  auto& alert = found.add({}, "somebody else removed or changed what this program keeps on disk",
                          state.loss->at);
  alert.description = state.loss->what;
}

}  // namespace spark::daemon
