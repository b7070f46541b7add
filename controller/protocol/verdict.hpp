#pragma once
// Verdict: what is known of one fact, of a node, or of the worst of them.

#include <array>
#include <cstddef>
#include <cstdint>
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

}  // namespace spark::protocol
