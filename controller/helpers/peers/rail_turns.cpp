#include "helpers/peers/rail_turns.hpp"

namespace spark::helpers {

bool RailTurns::is_free(const std::string& link) const {
  const std::scoped_lock lock(mutex_);
  return !busy_.contains(link);
}

Turn RailTurns::turn_of(const std::string& link) {
  return Turn([this, link] {
    {
      const std::scoped_lock lock(mutex_);
      busy_.erase(link);
    }
    left_.notify_all();
  });
}

std::optional<Turn> RailTurns::take(const std::string& link) {
  const std::scoped_lock lock(mutex_);
  if (!busy_.insert(link).second) return std::nullopt;
  return turn_of(link);
}

std::optional<Turn> RailTurns::await(const std::string& link, SteadyTime end) {
  std::unique_lock lock(mutex_);
  if (!left_.wait_until(lock, end, [&] { return !busy_.contains(link); })) return std::nullopt;
  busy_.insert(link);
  return turn_of(link);
}

std::optional<Turn> RailTurns::join_run(const std::string& node, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const bool is_over = run_.measurements == 0 && std::chrono::steady_clock::now() > run_.until;
  if (!is_over && (run_.node != node || run_.id != id)) return std::nullopt;
  run_.node = node;
  run_.id = id;
  ++run_.measurements;
  return Turn([this] {
    const std::scoped_lock left(mutex_);
    --run_.measurements;
    run_.until = std::chrono::steady_clock::now() + kBetweenMeasurements;
  });
}

std::string RailTurns::runs_with() const {
  const std::scoped_lock lock(mutex_);
  return run_.node;
}

}  // namespace spark::helpers
