#include "daemon/reconcile/gid_moves.hpp"

namespace spark::daemon {

std::vector<GidMove> observe_gids(GidIndexes& known, const gate::GateReport& report,
                                  const Moment& at) {
  std::vector<GidMove> moves;
  for (const auto& rail : report.rails) {
    if (!rail.gid_index) continue;
    const auto index = *rail.gid_index;
    const auto [last, is_new] =
        known.try_emplace(GidPlace{rail.link, rail.device, rail.ip.text()}, index);
    if (!is_new && last->second != index) {
      moves.push_back({at, rail.link, rail.device, rail.ip.text(), last->second, index});
      last->second = index;
    }
  }
  return moves;
}

void remember(std::deque<GidMove>& known, const std::vector<GidMove>& moves) {
  known.insert(known.begin(), moves.begin(), moves.end());
  if (known.size() > kMostChanges) known.resize(kMostChanges);
}

}  // namespace spark::daemon
