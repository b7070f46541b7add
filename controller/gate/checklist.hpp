#pragma once
// go_through_checklist: what only a real ConnectX-7 can tell, since the tests of this program run
// on software RDMA. Part of no verdict.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/common/facts.hpp"
#include "host/view.hpp"

namespace spark::gate {

enum class ChecklistAnswer : std::uint8_t {
  kAsExpected,
  kDifferent,  ///< a finding, not a fault: what was expected is wrong for this machine
  kByHand,     ///< seeing it takes a change, or a tool that this program does not have
  kNotHere,    ///< no such hardware or service
};
/// "as_expected", "different", "by_hand", "not_here".
std::string_view name_of(ChecklistAnswer answer);

/// What is the same on each machine.
struct ChecklistItem {
  std::string_view name;  ///< "shared-mtu": docs/dev/on-a-real-spark.md has it too
  std::string_view question;
  std::string_view expected;
  std::string_view steps;  ///< what a person types or does where the answer is kByHand, or differs
};

struct ChecklistResult {
  ChecklistItem item;
  ChecklistAnswer answer = ChecklistAnswer::kByHand;
  std::string seen;  ///< what this machine showed now; empty: nothing
};

std::vector<ChecklistItem> checklist_items();

/// Changes nothing and opens no RDMA device. `of_daemon`: what the daemon's gate saw last; empty:
/// no daemon has looked.
std::vector<ChecklistResult> go_through_checklist(host::View& view,
                                                  const std::optional<GateReport>& of_daemon);

}  // namespace spark::gate
