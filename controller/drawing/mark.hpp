#pragma once
// Mark: how a part of a picture is marked, by its sign, colour and pattern.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spark::drawing {

// Compared: a text of the file beside what it was in another file.

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

enum class Mark : std::uint8_t {
  kNone,
  // What became of it since another file.
  kAdded,
  kRemoved,
  kChanged,
  // What is known of it now.
  kGood,   ///< ready; proven
  kOpen,   ///< unknown; not proven
  kWaits,  ///< waiting
  kBad,    ///< not ready; wrong
};

Mark mark_of(Change change);

/// The class that gives an element of an SVG document its colour and its pattern; empty: none.
std::string_view class_of(Mark mark);
/// "+", "-", "~", "✓", "?", "…", "✗"; empty: nothing is marked.
std::string_view sign_of(Mark mark);
/// The text behind the sign: "+ spark4".
std::string signed_text(Mark mark, std::string_view text);

/// What is known of a part now.
struct Live {
  Mark mark = Mark::kNone;  ///< kNone: nobody was asked, as by a file alone
  std::string words;  ///< "ready", "silent; last heard ready", "mtu"; empty: the mark says all

  bool operator==(const Live&) const = default;
};

/// Where two files are compared, nothing is known of now.
inline Mark mark_of(Change change, const Live& live) {
  return change == Change::kSame ? live.mark : mark_of(change);
}

/// Rail by rail: the one that stands worst, the first of several. Nothing is known of none.
Live worst_of(const std::vector<Live>& rails);

}  // namespace spark::drawing
