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

  void add(std::string_view bytes) { bytes_ += bytes; }

  /// The next line, whole or not, has more.
  [[nodiscard]] bool is_too_long() const {
    return std::min(bytes_.find('\n'), bytes_.size()) > most_;
  }

  /// The next line, without its end. Empty: none is whole yet, or it is too long.
  std::optional<std::string> take() {
    const auto end = bytes_.find('\n');
    if (end == std::string::npos || end > most_) return std::nullopt;
    auto line = bytes_.substr(0, end);
    bytes_.erase(0, end + 1);
    return line;
  }

  [[nodiscard]] std::size_t most() const { return most_; }

 private:
  std::size_t most_;
  std::string bytes_;
};

}  // namespace spark
