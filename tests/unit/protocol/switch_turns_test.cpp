#include "protocol/switch_turns.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spark::protocol {
namespace {

IpAddress node(std::size_t number) {
  return *IpAddress::parse("192.0.2." + std::to_string(number));
}

/// All of `count` nodes but that one.
std::vector<IpAddress> peers_of(std::size_t own, std::size_t count) {
  std::vector<IpAddress> peers;
  for (std::size_t i = 1; i <= count; ++i) {
    if (i != own) peers.push_back(node(i));
  }
  return peers;
}

TEST(SwitchTurns, UpToEightNodesAskAllAtOnce) {
  const auto peers = peers_of(3, 8);
  for (const auto& peer : peers) EXPECT_EQ(turn_of(peer, node(3), peers), 0U) << peer.text();
  EXPECT_EQ(turns_among(peers.size()), 0U);
}

TEST(SwitchTurns, OfMoreTheNextTwoAreAskedEachTimeAndTheHighestComesBeforeTheLowest) {
  const auto peers = peers_of(9, 9);
  EXPECT_EQ(turn_of(node(1), node(9), peers), 0U);
  EXPECT_EQ(turn_of(node(2), node(9), peers), 0U);
  EXPECT_EQ(turn_of(node(3), node(9), peers), 1U);
  EXPECT_EQ(turn_of(node(8), node(9), peers), turns_among(peers.size()));
}

TEST(SwitchTurns, EachNodeIsAskedByTwoEachTimeAndByAllOthersInOneRound) {
  for (const std::size_t count : {9U, 10U, 64U}) {
    std::map<std::string, std::size_t> asked_always;
    for (std::size_t own = 1; own <= count; ++own) {
      const auto peers = peers_of(own, count);
      std::map<std::size_t, std::size_t> in_turn;
      for (const auto& peer : peers) {
        const auto turn = turn_of(peer, node(own), peers);
        ++in_turn[turn];
        if (turn == 0) ++asked_always[peer.text()];
      }
      EXPECT_EQ(in_turn.rbegin()->first, turns_among(peers.size())) << count;
      EXPECT_EQ(in_turn.size(), turns_among(peers.size()) + 1) << "a turn without anybody";
      for (const auto& [turn, peers_in_it] : in_turn) EXPECT_LE(peers_in_it, 2U) << count;
    }
    EXPECT_EQ(asked_always.size(), count);
    for (const auto& [peer, times] : asked_always) EXPECT_EQ(times, 2U) << peer;
  }
}

}  // namespace
}  // namespace spark::protocol
