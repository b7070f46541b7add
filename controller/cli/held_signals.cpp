#include "cli/held_signals.hpp"

#include <array>
#include <ctime>

namespace spark {
namespace {

/// Signals that end a program which does not ask for them (signal(7)), but for those that tell of
/// its own faults and the ones that nobody can hold.
constexpr std::array kEndingSignals = {SIGHUP,  SIGINT,  SIGQUIT,   SIGALRM,   SIGTERM,
                                       SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF,   SIGPOLL,
                                       SIGPWR,  SIGXCPU, SIGXFSZ,   SIGSTKFLT, SIGPIPE};

/// As under nohup(1). The kernel keeps an ignored signal pending while it is blocked, since a
/// handler could be set meanwhile (sig_ignored in kernel/signal.c), so it must not be held.
bool is_ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : kEndingSignals) {
    if (!is_ignored(signal)) {
      sigaddset(&held_, signal);
    }
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
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
  // sigisemptyset(3) of glibc 2.36 sees no real-time signals.
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (sigismember(&waiting, signal) == 1 && sigismember(&held_, signal) == 1) {
      return true;
    }
  }
  return false;
}

}  // namespace spark
