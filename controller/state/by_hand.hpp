#pragma once
// The note that somebody applied or resumed by hand: the daemon gives what it had left alone a new
// chance.

#include <string>

#include "host/files.hpp"

namespace spark {

inline constexpr const char* kByHandFile = "/run/spark-reconcile/by-hand";

/// Differs from every note before it. Errors: those of the files port.
Result<> note_by_hand(Files& files);
/// Empty: nobody has since the machine booted.
std::string last_by_hand(Files& files);

}  // namespace spark
