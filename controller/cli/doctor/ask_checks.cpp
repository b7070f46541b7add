#include "cli/doctor/ask_checks.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace spark::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// The checks of one lane, by their place in the list.
struct LaneState {
  std::vector<std::size_t> waiting;  ///< for an answer, in order; the first is asked now
  Clock::time_point since;           ///< it is asked
};

/// What the threads and the one that waits for them share. A thread that never ends keeps it.
struct Board {
  std::vector<CheckRow> rows;
  std::mutex mutex;
  std::condition_variable answered;
  std::array<LaneState, kLanes> lanes;
  std::vector<std::optional<Findings>> answers;
};

void ask_lane(const std::shared_ptr<Board>& board, std::size_t lane, const Command& command) {
  std::unique_lock lock(board->mutex);
  auto& state = board->lanes.at(lane);
  while (!state.waiting.empty()) {
    const auto row = state.waiting.front();
    state.since = Clock::now();
    lock.unlock();
    auto findings = board->rows[row].check(command);
    lock.lock();
    board->answers[row] = std::move(findings);
    state.waiting.erase(state.waiting.begin());
    board->answered.notify_one();
  }
}

/// Until all checks of a lane have answered, or one of them has not in its time. True: all have.
bool await_lane(Board& board, std::size_t lane, std::chrono::milliseconds time) {
  std::unique_lock lock(board.mutex);
  const auto& state = board.lanes.at(lane);
  while (!state.waiting.empty()) {
    const auto deadline = state.since + time;
    if (Clock::now() >= deadline) return false;
    board.answered.wait_until(lock, deadline);
  }
  return true;
}

}  // namespace

std::vector<std::optional<Findings>> ask_checks(const std::vector<CheckRow>& rows,
                                                const Command& command,
                                                std::chrono::milliseconds time) {
  const auto board = std::make_shared<Board>();
  board->rows = rows;
  board->answers.resize(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    board->lanes.at(static_cast<std::size_t>(rows[row].lane)).waiting.push_back(row);
  }
  std::array<std::thread, kLanes> threads;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    board->lanes.at(lane).since = Clock::now();
    threads.at(lane) = std::thread(ask_lane, board, lane, std::cref(command));
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    await_lane(*board, lane, time) ? threads.at(lane).join() : threads.at(lane).detach();
  }
  const std::scoped_lock lock(board->mutex);
  return board->answers;
}

}  // namespace spark::cli
