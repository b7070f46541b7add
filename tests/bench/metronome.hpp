#pragma once
// Metronome: a load that comes in even steps.

#include <chrono>
#include <cstdint>
#include <ctime>

#include <sys/timerfd.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "bench/process.hpp"

namespace spark::bench {

class Metronome {
 public:
  explicit Metronome(std::chrono::microseconds pause)
      : timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) {
    const timespec every{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(pause).count()};
    const itimerspec beats{.it_interval = every, .it_value = every};
    if (timerfd_settime(timer_.get(), 0, &beats, nullptr) != 0) {
      give_up("cannot set a timer");
    }
  }

  /// Until the next beat. Those that were missed are not made up for.
  void wait() const {
    std::uint64_t beats = 0;
    if (read(timer_.get(), &beats, sizeof beats) != sizeof beats) {
      give_up("cannot wait for a timer");
    }
  }

 private:
  UniqueFd timer_;
};

}  // namespace spark::bench
