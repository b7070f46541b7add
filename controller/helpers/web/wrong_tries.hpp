#pragma once
// WrongTries: how often who tried a wrong token, so that nobody guesses one.

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <vector>

#include "base/ip.hpp"

namespace spark::helpers {

/// Counts by address: one of IPv4, the /64 of one of IPv6, which a single stranger may have whole.
///
/// A stranger locks nobody out from another address. Where the owner has shown the right token from
/// an IPv6 address, that address is counted by itself, whatever the others of its /64 try. Its own
/// wrong tries count there as those of anybody else: behind one address of IPv4, all are one.
class WrongTries {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMost = 5;
  static constexpr std::chrono::seconds kWithin{60};
  /// Places in the table. A full one forgets who tried longest ago: who has that many addresses to
  /// try from has five tries a minute from each in any case, and a token has 16 characters at
  /// least.
  static constexpr std::size_t kMostPlaces = 1024;
  static constexpr std::size_t kMostKnown = 64;

  /// How long nothing of what `from` shows is compared, a right one neither; 0: it is.
  [[nodiscard]] std::chrono::seconds wait(const IpAddress& from, Clock::time_point now) const;
  void was_wrong(const IpAddress& from, Clock::time_point now);
  /// It forgives nothing: a stranger of the same place would begin again with each page that the
  /// owner loads.
  void was_right(const IpAddress& from);

  [[nodiscard]] std::size_t places() const { return tries_.size(); }

 private:
  /// The last tries of one place, in a ring.
  struct Tries {
    std::array<Clock::time_point, kMost> at;
    std::size_t count = 0;
    [[nodiscard]] Clock::time_point last() const { return at.at((count - 1) % kMost); }
  };

  [[nodiscard]] IpPrefix place_of(const IpAddress& from) const;
  void make_room(Clock::time_point now);

  std::map<IpPrefix, Tries> tries_;
  std::vector<IpAddress> known_;  ///< IPv6 alone; the one seen last at the end
};

}  // namespace spark::helpers
