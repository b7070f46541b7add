#pragma once
// Worker: one thread for work that may take a while, one order at a time. Only values cross the
// threads.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace spark::daemon {

class Worker {
 public:
  using Work = std::function<void()>;

  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { end(); }

  /// To be called only when the last order is done.
  void start(Work work);
  /// Waits for the order in hand; no other may follow.
  void end();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Work> order_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace spark::daemon
