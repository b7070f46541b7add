#pragma once
// Compared: a text of the file beside what it was in another file.

#include <cstdint>
#include <string>
#include <string_view>

namespace spark::drawing {

/// What became of a part of the cluster since the other file.
enum class Change : std::uint8_t { kSame, kAdded, kRemoved, kChanged };

/// "same", "added", "removed", "changed".
std::string_view name_of(Change change);
/// "+", "-", "~"; empty: nothing is to be marked.
std::string_view sign_of(Change change);

/// Both are the same where nothing is compared. Empty: the file does not say it.
struct Compared {
  std::string now;
  std::string was;

  static Compared of(const std::string& text) { return {.now = text, .was = text}; }

  [[nodiscard]] Change change() const;
  /// What is said now; of what is gone, what was said.
  [[nodiscard]] const std::string& either() const { return now.empty() ? was : now; }
  /// "9000", "9000 (was 1500)", "9000 (was none)", "none (was 1500)".
  [[nodiscard]] std::string with_was() const;

  bool operator==(const Compared&) const = default;
};

}  // namespace spark::drawing
