#pragma once
// observe_gids: which GIDs stand at another index than when they were last seen.

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "daemon/common/node_state.hpp"

namespace spark::daemon {

/// The address of a rail, and where its GID is.
struct GidPlace {
  std::string link;
  std::string device;
  std::string ip;
  auto operator<=>(const GidPlace&) const = default;
};

/// Where each GID stood when it was last seen.
using GidIndexes = std::map<GidPlace, std::uint32_t>;

/// Notes the indexes of a report, and returns what has moved. A GID that the report does not have
/// keeps its last index, since one that comes back elsewhere has moved too.
std::vector<GidMove> observe_gids(GidIndexes& known, const gate::GateReport& report,
                                  const Moment& at);

/// Puts the moves in front, and keeps the bound of NodeState::gid_moves.
void remember(std::deque<GidMove>& known, const std::vector<GidMove>& moves);

}  // namespace spark::daemon
