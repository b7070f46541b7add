#pragma once
// RailTurns: over one rail goes one probe at a time, and one run of `bench` at a time goes on with
// this node, so that no two share a rail or the card's bus. Any thread may call it.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/wait.hpp"

namespace spark::helpers {

/// What was taken; it is left at the end of this.
class Turn {
 public:
  explicit Turn(std::function<void()> leave) : leave_(std::move(leave)) {}
  Turn(Turn&& other) noexcept : leave_(std::exchange(other.leave_, nullptr)) {}
  Turn& operator=(Turn&&) = delete;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (leave_) leave_();
  }

 private:
  std::function<void()> leave_;
};

class RailTurns {
 public:
  /// The next measurement of a run begins before that, or the run is over: nobody has to say that
  /// it was broken off.
  static constexpr std::chrono::seconds kBetweenMeasurements{5};
  /// The last one is over all rails at once: one may be over before the other has begun.
  static constexpr std::chrono::seconds kBetweenRails{1};

  explicit RailTurns(std::chrono::nanoseconds between = kBetweenMeasurements,
                     std::chrono::nanoseconds between_rails = kBetweenRails)
      : between_(between), between_rails_(between_rails) {}

  [[nodiscard]] bool is_free(const std::string& link) const;
  /// Empty: a probe goes over that rail.
  std::optional<Turn> take(const std::string& link);
  /// The same, and waits until it is free. Empty: not before `end`.
  std::optional<Turn> await(const std::string& link, SteadyTime end);

  /// A measurement of the run `id` of `bench` with `node` begins. It waits until another run is
  /// over, which it soon is after its last measurement. Empty: that was not before `end`.
  std::optional<Turn> await_run(const std::string& node, const std::string& id, bool is_last,
                                SteadyTime end);
  /// Whom the last run was with.
  [[nodiscard]] std::string runs_with() const;

 private:
  Turn turn_of(const std::string& link);

  const std::chrono::nanoseconds between_;
  const std::chrono::nanoseconds between_rails_;
  mutable std::mutex mutex_;
  std::condition_variable left_;
  std::set<std::string> busy_;  ///< links
  struct Run {
    std::string node;
    std::string id;
    std::size_t measurements = 0;  ///< under way
    SteadyTime until;              ///< the run's, where none is under way
  } run_;
};

}  // namespace spark::helpers
