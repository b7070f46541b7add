#pragma once
// Turns on a large switch: whom a node asks when it does not ask all at once.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/ip.hpp"

namespace spark::protocol {

/// With so many peers behind a switch, all are asked at once: eight nodes are all that one has.
inline constexpr std::size_t kAllAtOnce = 7;
/// Of more, so many are asked each time: the next ones by address. So each node is asked by as many
/// others. And as many of the rest, who take turns.
inline constexpr std::size_t kAskedAlways = 2;

/// 0: asked each time. Else its place among the turns of the rest, which begin with 1. `peers` are
/// all behind the switch but the node itself, whose address is `own`.
inline std::size_t turn_of(const IpAddress& ip, const IpAddress& own,
                           const std::vector<IpAddress>& peers) {
  if (peers.size() <= kAllAtOnce) return 0;
  // The highest address comes before the lowest one.
  const auto is_higher = [&](const IpAddress& peer) { return peer > own; };
  const auto is_between = [&](const IpAddress& peer) {
    return is_higher(ip) ? is_higher(peer) && peer < ip : is_higher(peer) || peer < ip;
  };
  const auto rank = static_cast<std::size_t>(std::ranges::count_if(peers, is_between));
  return rank < kAskedAlways ? 0 : 1 + (rank - kAskedAlways) / kAskedAlways;
}

/// How many turns there are until all were asked.
inline std::size_t turns_among(std::size_t peers) {
  return peers <= kAllAtOnce ? 0 : (peers - 1) / kAskedAlways;
}

}  // namespace spark::protocol
