#include "daemon/reconcile/noted_applies.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "plan/release.hpp"

namespace spark::daemon {

void NotedApplies::look(host::Files& files, Pass& pass) {
  auto note = state::last_by_hand(files);
  pass.happened.by_hand = by_hand_ && *by_hand_ != note;
  by_hand_ = std::move(note);
}

state::ByHand NotedApplies::by_hand() const { return state::parse_by_hand(by_hand_.value_or("")); }

std::string NotedApplies::change_id(host::Files& files, const std::string& node,
                                    const std::string& digest) {
  if (node.empty()) return "";
  auto text = files.read(state::history_path(node)).value_or(std::nullopt);
  if (text != history_) {
    history_ = std::move(text);
    const auto history = state::read_history(files, node);
    last_ = history && !history->empty() ? history->back() : state::Generation{};
  }
  // A file that changes nothing on this node has no entry: that of the file before is not its own.
  const bool is_release = last_.outcome == state::Generation::Outcome::kReleased;
  const bool is_newest = is_release || digest.empty() || last_.digest == digest;
  return is_newest ? last_.change_id : "";
}

void note_release(host::Files& files, const Snapshot& snapshot, Pass& pass) {
  if (!plan::is_released(snapshot.ledger)) return;
  const auto& node = snapshot.node;
  pass.found.node = node.name;
  pass.found.cluster = node.cluster;
  pass.found.released.emplace();
  if (const auto history = state::read_history(files, node.name);
      history && state::ends_with_release(*history)) {
    const auto& last =
        *std::ranges::find(*history | std::views::reverse, state::Generation::Outcome::kReleased,
                           &state::Generation::outcome);
    pass.found.released = {.at = last.at, .by = last.by};
  }
}

}  // namespace spark::daemon
