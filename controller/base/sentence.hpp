#pragma once
// Sentence: what people read of a value. It is made last and only written: to compare or to parse
// it does not compile, since what a program decides by is the value.

#include <string>
#include <utility>

namespace spark {

class Sentence {
 public:
  Sentence() = default;
  explicit Sentence(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] bool empty() const { return text_.empty(); }
  /// For who prints it, or makes a longer sentence of it.
  friend std::string written(const Sentence& sentence) { return sentence.text_; }

 private:
  std::string text_;
};

}  // namespace spark
