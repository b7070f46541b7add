#pragma once
// TransitionQueue: what a sink has yet to deliver; bounded; kept in a file.

#include <cstddef>
#include <cstdint>
#include <deque>

#include <nlohmann/json_fwd.hpp>

#include "daemon/alerts/alert_store.hpp"

namespace spark::daemon {

class TransitionQueue {
 public:
  static constexpr std::size_t kMost = 64;

  /// False: the oldest went to make room.
  bool push(Transition transition);
  void pop() { queue_.pop_front(); }
  /// Takes out what is muted.
  void withhold(const IsMuted& is_muted);
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] const Transition& front() const { return queue_.front(); }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }
  /// How many went from the front but by `pop`: to make room, or muted.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  [[nodiscard]] nlohmann::json to_json() const;
  /// Puts a file's transitions before those in the queue; leaves out what cannot be read.
  void restore(const nlohmann::json& json);

 private:
  std::deque<Transition> queue_;
  std::uint64_t dropped_ = 0;
};

}  // namespace spark::daemon
