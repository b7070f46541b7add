#pragma once
// Verdict: what is known of one fact, of a node, or of the worst of them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spark::protocol {

/// The worse, the later.
enum class Verdict : std::uint8_t { kReady, kUnknown, kWaiting, kNotReady };

/// In JSON, in what nodes tell each other, and on screens.
inline constexpr std::array<std::string_view, 4> kVerdicts{"ready", "unknown", "waiting",
                                                           "not ready"};
constexpr const auto& names_of(Verdict /*any*/) { return kVerdicts; }
constexpr std::string_view name_of(Verdict verdict) {
  return kVerdicts.at(static_cast<std::size_t>(verdict));
}

/// Empty: a word of a newer version.
constexpr std::optional<Verdict> verdict_named(std::string_view word) {
  const auto* const found = std::ranges::find(kVerdicts, word);
  if (found == kVerdicts.end()) return std::nullopt;
  return static_cast<Verdict>(found - kVerdicts.begin());
}

}  // namespace spark::protocol
