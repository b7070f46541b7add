#pragma once
// HardwareState: what the daemon knows of the hardware below the links.

#include <chrono>
#include <optional>
#include <vector>

#include "base/fields.hpp"
#include "base/moment.hpp"
#include "host/hardware.hpp"
#include "host/hardware_signs.hpp"

namespace spark::node_state {

/// So long after it grew, a counter of a link counts as one that grows.
inline constexpr std::chrono::minutes kErrorsCount{10};

/// Looked at together with the gate.
struct HardwareState {
  Moment at;                                 ///< the end of the last look; not set: there was none
  std::optional<host::HardwareFacts> facts;  ///< empty: nothing was looked at yet
  std::vector<host::HardwareSign> signs;     ///< by kHardwareSigns; what is not applicable has none
};

template <EitherConst<HardwareState> T, class Visit>
void each_field(T& hardware, Visit visit) {
  visit("at", hardware.at);
  visit("facts", hardware.facts);
  visit("signs", hardware.signs);
}

}  // namespace spark::node_state
