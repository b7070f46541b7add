#include "daemon/alerts/sinks/transition_queue.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace spark::daemon {

bool TransitionQueue::push(Transition transition) {
  const bool has_room = queue_.size() < kMost;
  if (!has_room) {
    queue_.pop_front();
    ++dropped_;
  }
  queue_.push_back(std::move(transition));
  return has_room;
}

void TransitionQueue::withhold(const IsMuted& is_muted) {
  const auto goes = [&is_muted](const Transition& transition) {
    return is_muted(transition.alert);
  };
  // Who is delivering the front sees by this that it is another one.
  if (!queue_.empty() && goes(queue_.front())) ++dropped_;
  std::erase_if(queue_, goes);
}

nlohmann::json TransitionQueue::to_json() const {
  auto list = nlohmann::json::array();
  for (const auto& transition : queue_) list.push_back(spark::daemon::to_json(transition));
  return list;
}

void TransitionQueue::restore(const nlohmann::json& json) {
  if (!json.is_array()) return;
  std::deque<Transition> all;
  for (const auto& item : json) {
    if (all.size() == kMost) break;
    if (auto transition = transition_from_json(item)) all.push_back(*std::move(transition));
  }
  for (auto& transition : std::exchange(queue_, std::move(all))) push(std::move(transition));
}

}  // namespace spark::daemon
