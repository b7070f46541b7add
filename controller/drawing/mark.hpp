#pragma once
// Mark: how a part of a picture is marked, by its sign, colour and pattern.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spark::drawing {

/// What is known of a part now.
enum class Mark : std::uint8_t {
  kNone,
  kGood,   ///< ready; proven
  kOpen,   ///< unknown; not proven
  kWaits,  ///< waiting
  kBad,    ///< not ready; wrong
};

/// The class that gives an element of an SVG document its colour and its pattern; empty: none.
std::string_view class_of(Mark mark);
/// "✓", "?", "…", "✗"; empty: nothing is marked.
std::string_view sign_of(Mark mark);
/// The text behind the sign: "✓ spark4".
std::string signed_text(Mark mark, std::string_view text);

struct Live {
  Mark mark = Mark::kNone;  ///< kNone: nobody was asked, as by a file alone
  std::string words;  ///< "ready", "silent; last heard ready", "mtu"; empty: the mark says all

  bool operator==(const Live&) const = default;
};

/// Rail by rail: the one that stands worst, the first of several. Nothing is known of none.
Live worst_of(const std::vector<Live>& rails);

}  // namespace spark::drawing
