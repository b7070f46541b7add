#pragma once
// duration_text: how long something took, or how long ago it was.

#include <chrono>
#include <string>

namespace spark {

/// The two largest units, in words that line up: "8 ms", "12 s", "5 min", "2 h 5 min", "3 d 4 h".
std::string duration_text(std::chrono::nanoseconds duration);

}  // namespace spark
