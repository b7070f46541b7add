#pragma once
// The words for the states of a node and of its resources: every screen takes them from here.

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal.hpp"
#include "gate/common/facts.hpp"
#include "plan/plan.hpp"

namespace spark::cli {

/// How a node stands beside its file.
enum class NodeState : std::uint8_t {
  kInSync,
  kDiffers,
  kWaiting,      ///< for a device
  kUnknown,      ///< something cannot be read
  kNotEnforced,  ///< something differs, and is not this program's to fix
  kRefused,
  kReleased,
};

/// A state as people see it.
struct ShownState {
  std::string_view word;
  Tone tone;
};

/// The most severe that applies.
NodeState state_of(const plan::Plan& plan);
ShownState look_of(NodeState state);

/// "waiting", "unknown", "not enforced", "pending".
std::string state_word(kinds::Skipped::Why why);

/// The sign of a verdict, for the facts of the gate and for their sum.
struct VerdictSign {
  Tone tone;
  std::string_view sign;
};
VerdictSign look_of(gate::Verdict verdict);

}  // namespace spark::cli
