#pragma once
// UniqueFd owns one file descriptor and closes it.

#include <utility>

#include <unistd.h>

namespace spark {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  /// The descriptor, or -1 when nothing is owned. Never close it.
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }

  /// The descriptor, which is the caller's to close from now on.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

  void reset() {
    if (fd_ >= 0) {
      // A failed close leaves the descriptor closed all the same (close(2)); nothing to do about
      // it.
      static_cast<void>(::close(fd_));
      fd_ = -1;
    }
  }

 private:
  int fd_ = -1;
};

}  // namespace spark
