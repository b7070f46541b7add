#pragma once
// HeldSignals: the signals that end a program wait while a transaction runs, so that Ctrl-C or a
// closed terminal leads to an undo instead of a half-made change.

#include <csignal>

namespace spark {

class HeldSignals {
 public:
  /// Blocks, for this thread, every signal that would end the program and is not ignored.
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  /// Takes those that came and lets later ones through again.
  ~HeldSignals();

  /// One of them has come.
  [[nodiscard]] bool pending() const;

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace spark
