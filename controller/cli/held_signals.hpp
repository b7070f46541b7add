#pragma once
// HeldSignals: holds the signals that end a program while a transaction runs, so that Ctrl-C or a
// closed terminal leads to a rollback instead of a half-made change.

#include <csignal>

namespace spark::cli {

class HeldSignals {
 public:
  /// Blocks, for this thread, every signal that would end the program and is not ignored.
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  /// Lets later signals through again.
  ~HeldSignals();

  /// One of these signals has come.
  [[nodiscard]] bool came();
  /// The terminal was closed: nobody reads what is printed.
  [[nodiscard]] bool hung_up();
  /// Ctrl-C was pressed again after it was heard.
  [[nodiscard]] bool insists();

 private:
  void take();

  bool came_ = false;
  bool hung_up_ = false;
  int interrupts_ = 0;  ///< SIGINT, as often as it was heard
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace spark::cli
