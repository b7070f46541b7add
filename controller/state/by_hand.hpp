#pragma once
// The note that somebody ran apply or resume by hand. The daemon then corrects again what it had
// given up on.

#include <chrono>
#include <string>

#include "host/files.hpp"

namespace spark::state {

inline constexpr const char* kByHandFile = "/run/spark-reconcile/by-hand";

/// Writes a note that differs from every earlier one. Errors: those of the files port.
Result<> note_by_hand(host::Files& files, const std::string& change_id = {});
/// The last note; empty: nobody ran either verb since the machine booted.
std::string last_by_hand(host::Files& files);

/// What a note says.
struct ByHand {
  std::chrono::milliseconds boot{0};  ///< by the boot clock, when it was written
  std::string change_id;              ///< empty: none was given
};
/// Of what another version wrote, nothing.
ByHand parse_by_hand(const std::string& note);

}  // namespace spark::state
