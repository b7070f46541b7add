#pragma once
// TerminalDevice: a terminal, and what it has been given to show.

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "base/unique_fd.hpp"

namespace spark::cli {

class TerminalDevice {
 public:
  TerminalDevice() {
    EXPECT_EQ(grantpt(screen_.get()), 0);
    EXPECT_EQ(unlockpt(screen_.get()), 0);
    std::array<char, 64> name{};
    EXPECT_EQ(ptsname_r(screen_.get(), name.data(), name.size()), 0);
    const int line = open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    EXPECT_EQ(tcgetattr(line, &settings), 0);
    cfmakeraw(&settings);
    EXPECT_EQ(tcsetattr(line, TCSANOW, &settings), 0);
    stream_.reset(fdopen(line, "w"));
  }

  [[nodiscard]] std::FILE* stream() const { return stream_.get(); }

  void resize(unsigned short columns) const {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(ioctl(screen_.get(), TIOCSWINSZ, &size), 0);
  }

  /// What has been given up to and with that text, in pieces of so many bytes.
  [[nodiscard]] std::string shown_until(const std::string& end, std::size_t at_once = 4096) const {
    std::string text;
    std::string piece(at_once, ' ');
    while (!text.ends_with(end)) {
      // A piece never reaches past the end: nothing is given after it.
      const auto size = read(screen_.get(), piece.data(), piece.size());
      if (size <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

  /// The other end goes away, as when a window is closed.
  void hang_up() { screen_ = UniqueFd(); }

  /// All of it; the stream is closed then.
  [[nodiscard]] std::string shown() {
    stream_.reset();
    std::string text;
    std::array<char, 4096> piece{};
    // The kernel passes a text on in pieces, and says by an error that the other end is closed.
    for (;;) {
      const auto size = read(screen_.get(), piece.data(), piece.size());
      if (size <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(size));
    }
  }

 private:
  UniqueFd screen_{posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  Handle<std::FILE, std::fclose> stream_;
};

}  // namespace spark::cli
