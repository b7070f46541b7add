#include "cli/held_signals.hpp"

#include <array>
#include <ctime>

namespace spark::cli {
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
    if (!is_ignored(signal)) sigaddset(&held_, signal);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigaddset(&held_, signal);
  // The program has one thread; sigprocmask cannot fail with these arguments.
  static_cast<void>(sigprocmask(SIG_BLOCK, &held_, &before_));
}

HeldSignals::~HeldSignals() {
  take();  // a signal that came meanwhile led to the rollback; it must not kill its report
  static_cast<void>(sigprocmask(SIG_SETMASK, &before_, nullptr));
}

void HeldSignals::take() {
  constexpr timespec kNow{};
  for (int signal = 0; (signal = sigtimedwait(&held_, nullptr, &kNow)) > 0;) {
    came_ = true;
    hung_up_ = hung_up_ || signal == SIGHUP;
    interrupts_ += signal == SIGINT ? 1 : 0;
  }
}

bool HeldSignals::came() {
  take();
  return came_;
}

bool HeldSignals::hung_up() {
  take();
  return hung_up_;
}

bool HeldSignals::insists() {
  take();
  return interrupts_ > 1;
}

}  // namespace spark::cli
