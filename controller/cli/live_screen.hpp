#pragma once
// LiveScreen: a text that stays on the terminal and is kept true.

#include <functional>
#include <string>
#include <vector>

#include "cli/terminal.hpp"

namespace spark::cli {

class LiveScreen {
 public:
  explicit LiveScreen(const Terminal& terminal) : terminal_(terminal) {}

  /// Draws what `print` prints, as wide as the terminal is now, in place of what was drawn before.
  /// Sends only lines that differ: a connection may be slow. What has no place is counted in the
  /// last line. False: nobody takes it any more.
  bool draw(const std::function<void(const Terminal&)>& print);

 private:
  struct Size {
    std::size_t rows = 0;
    std::size_t columns = 0;
    friend bool operator==(const Size&, const Size&) = default;
  };
  [[nodiscard]] Size size_now() const;

  const Terminal& terminal_;
  Size size_;
  std::vector<std::string> drawn_;
};

}  // namespace spark::cli
