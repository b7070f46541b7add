#pragma once
// read_current: what is there now of what steps change, by the steps alone: no file is asked.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/view.hpp"
#include "kinds/common/kind.hpp"
#include "plan/step.hpp"

namespace spark::plan {

/// What is there now of a step's resource.
struct Current {
  std::optional<std::string> value;  ///< as in the step; empty: nothing
  /// It cannot be compared: its device is away, or it cannot be read. `value` is then that of after
  /// the step.
  bool is_skipped = false;
};

using CurrentOfSteps = std::map<const Step*, Current>;

/// `steps`: all of one apply, since a kind looks at what others ask for. `released`: it was a
/// release. `ledger`: all that may be ours.
CurrentOfSteps read_current(const std::vector<Step>& steps, bool released, host::View& view,
                            const kinds::Ledger& ledger);

}  // namespace spark::plan
