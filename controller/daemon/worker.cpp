#include "daemon/worker.hpp"

#include <utility>

namespace spark::daemon {

Worker::Worker() : thread_([this] { run(); }) {}

void Worker::end() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::start(Work work) {
  {
    const std::scoped_lock lock(mutex_);
    order_ = std::move(work);
  }
  wake_.notify_one();
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return ends_ || order_; });
    if (!order_) return;
    const auto work = *std::exchange(order_, std::nullopt);
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace spark::daemon
