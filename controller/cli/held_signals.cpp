#include "cli/held_signals.hpp"

#include <array>
#include <ctime>

namespace spark {
namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : kEndingSignals) {
    sigaddset(&held_, signal);
  }
  // The program has one thread; sigprocmask cannot fail with these arguments.
  static_cast<void>(sigprocmask(SIG_BLOCK, &held_, &before_));
}

HeldSignals::~HeldSignals() {
  constexpr timespec kNow{};
  // What came meanwhile was answered by the undo; it does not kill the report about it.
  while (sigtimedwait(&held_, nullptr, &kNow) > 0) {
  }
  static_cast<void>(sigprocmask(SIG_SETMASK, &before_, nullptr));
}

bool HeldSignals::pending() const {
  sigset_t waiting{};
  sigemptyset(&waiting);
  static_cast<void>(sigpending(&waiting));
  for (const int signal : kEndingSignals) {
    if (sigismember(&waiting, signal) == 1) {
      return true;
    }
  }
  return false;
}

}  // namespace spark
