#pragma once
// Boots: whether a hello is of the boot in which its node is. Where nodes have a key nobody can
// make a hello of theirs, but one of an earlier boot can be sent again; only the node itself, when
// it is asked, knows in which boot it is. Reads no clock.

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "protocol/peers.hpp"

namespace spark::helpers {

class Boots {
 public:
  using Time = std::chrono::milliseconds;  ///< CLOCK_BOOTTIME

  /// True: it is. Else it counts for nothing: its node was asked and is in another boot, or it
  /// waits until the node has been asked.
  bool knows(const protocol::HeardHello& heard);

  /// A hello of that node on that rail waits.
  [[nodiscard]] bool is_waiting(const std::string& link, const std::string& node) const;
  /// The node is asked now: its answer decides on those that wait already.
  void asked(const std::string& node);
  /// It answered that it is in that boot. Those that have waited and are right.
  std::vector<protocol::HeardHello> answered(const std::string& node, const std::string& boot);

  /// Forgets those that wait and were not heard again.
  void forget_silent(Time now);

 private:
  struct Node {
    std::string now;                ///< the boot; empty: it was not asked yet
    std::deque<std::string> wrong;  ///< of hellos that were sent again
  };
  struct Waiting {
    protocol::HeardHello heard;
    bool was_asked = false;
  };

  static constexpr std::size_t kMostWrong = 32;

  std::map<std::string, Node> nodes_;
  std::map<std::pair<std::string, std::string>, Waiting> waiting_;  ///< by link and node
};

}  // namespace spark::helpers
