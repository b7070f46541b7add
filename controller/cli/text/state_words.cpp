#include "cli/text/state_words.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace spark::cli {
namespace {

using Why = kinds::Skipped::Why;

// In the order of the enumerators.
constexpr std::array kStates{
    ShownState{"in sync", Tone::kGood},        ShownState{"differs", Tone::kBad},
    ShownState{"waiting", Tone::kChange},      ShownState{"unknown", Tone::kChange},
    ShownState{"not enforced", Tone::kChange}, ShownState{"refused", Tone::kBad},
    ShownState{"released", Tone::kChange},
};
static_assert(kStates.size() == std::size_t{static_cast<std::uint8_t>(NodeState::kReleased)} + 1,
              "each state has a word");

// In the order of the enumerators.
constexpr std::array kVerdictSigns{
    VerdictSign{Tone::kGood, "✓"},
    VerdictSign{Tone::kChange, "?"},
    VerdictSign{Tone::kChange, "…"},
    VerdictSign{Tone::kBad, "✗"},
};
static_assert(kVerdictSigns.size() == protocol::kVerdicts.size(), "each verdict has a sign");

bool skips(const plan::Plan& plan, Why why) {
  return std::ranges::any_of(
      plan.skipped, [why](const plan::SkippedResource& item) { return item.skipped.why == why; });
}

}  // namespace

NodeState state_of(const plan::Plan& plan) {
  if (!plan.refusals.empty()) return NodeState::kRefused;
  if (!plan.steps.empty()) return NodeState::kDiffers;
  if (skips(plan, Why::kUnknown)) return NodeState::kUnknown;
  if (skips(plan, Why::kNotEnforced)) return NodeState::kNotEnforced;
  // What is pending is set, so the node is in sync.
  return skips(plan, Why::kWaiting) ? NodeState::kWaiting : NodeState::kInSync;
}

ShownState look_of(NodeState state) { return kStates.at(static_cast<std::size_t>(state)); }

std::string state_word(Why why) { return in_words(kinds::name_of(why)); }

VerdictSign look_of(gate::Verdict verdict) {
  return kVerdictSigns.at(static_cast<std::size_t>(verdict));
}

}  // namespace spark::cli
