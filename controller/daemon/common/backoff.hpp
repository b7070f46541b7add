#pragma once
// Pacing: when the next look may start. The first event after a calm time is followed at once; a
// process that writes all the time makes looks less and less frequent.

#include <algorithm>
#include <chrono>

namespace spark::daemon {

class Pacing {
 public:
  using Steady = std::chrono::steady_clock;

  /// An event came.
  void told(Steady::time_point now) {
    if (now - last_told_ > kCalm) {
      rest_ = kShortest;
    }
    last_told_ = now;
  }

  /// A look has ended. `useful`: it corrected something.
  void looked(Steady::time_point now, bool useful) {
    next_ = now + rest_;
    rest_ = useful ? kShortest : std::min(2 * rest_, kLongest);
  }

  /// No look before then.
  [[nodiscard]] Steady::time_point next() const { return next_; }

 private:
  static constexpr std::chrono::milliseconds kShortest{5};
  static constexpr std::chrono::milliseconds kLongest{500};
  /// An event that comes after so long without one is news.
  static constexpr std::chrono::seconds kCalm{2};

  std::chrono::milliseconds rest_ = kShortest;
  Steady::time_point last_told_;
  Steady::time_point next_;
};

}  // namespace spark::daemon
