#pragma once
// LineBuffer: bytes as they come, in lines.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spark {

class LineBuffer {
 public:
  /// `most`: bytes that a line may have, without its end.
  explicit LineBuffer(std::size_t most) : most_(most) {}

  /// The lines from here on may have so many.
  void allow(std::size_t most) { most_ = most; }

  void add(std::string_view bytes) {
    // No byte is looked at twice: a long line may come in many small pieces.
    if (end_ == std::string::npos) {
      const auto at = bytes.find('\n');
      if (at != std::string::npos) end_ = bytes_.size() + at;
    }
    bytes_ += bytes;
  }

  /// The next line, whole or not, has more.
  [[nodiscard]] bool is_too_long() const { return std::min(end_, bytes_.size()) > most_; }

  /// The next line, without its end. Empty: none is whole yet, or it is too long.
  std::optional<std::string> take() {
    if (end_ == std::string::npos || end_ > most_) return std::nullopt;
    auto line = bytes_.substr(0, end_);
    bytes_.erase(0, end_ + 1);
    end_ = bytes_.find('\n');
    return line;
  }

  [[nodiscard]] std::size_t most() const { return most_; }

 private:
  std::size_t most_;
  std::string bytes_;
  std::size_t end_ = std::string::npos;  ///< of the next line
};

}  // namespace spark
