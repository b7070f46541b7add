#pragma once
// Detail and Action: what is wrong with a fact, and which command fixes it. Programs read these,
// and people the fact's text.

#include <array>
#include <cstdint>
#include <string_view>

namespace spark::protocol {

enum class Detail : std::uint8_t {
  kAbsent,  ///< no such device, address, GID or connection
  kDown,
  kNoCarrier,
  kOtherCage,      ///< no carrier, and one in a cage of this node that the file does not name
  kPort,           ///< of a bridge or bond, which takes its packets
  kDiffers,        ///< from what the file says, or from the other end
  kDuplicate,      ///< another host has the address
  kWrongEnd,       ///< the cable leads to another end of the file
  kSwitchBetween,  ///< where the file has a cable
  kNoAnswer,
  kSmallPackets,  ///< only they pass
  kTryFailed,
  kSkipped,           ///< the resource takes no part in a plan
  kUnproven,          ///< nobody answered, or it was not tried yet
  kUnread,            ///< what would say it cannot be read or asked
  kOtherRailAnswers,  ///< of the same cage, so the cable is right
};
inline constexpr std::array<std::string_view, 16> kDetails{
    "absent",    "down",      "no_carrier",     "other_cage",        "port",          "differs",
    "duplicate", "wrong_end", "switch_between", "no_answer",         "small_packets", "try_failed",
    "skipped",   "unproven",  "unread",         "other_rail_answers"};
constexpr const auto& names_of(Detail /*any*/) { return kDetails; }

/// Which command of this program fixes a fact, on this node.
enum class Action : std::uint8_t { kApply };
inline constexpr std::array<std::string_view, 1> kActions{"apply"};
constexpr const auto& names_of(Action /*any*/) { return kActions; }

}  // namespace spark::protocol
