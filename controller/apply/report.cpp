#include "apply/report.hpp"

#include <algorithm>

namespace spark::apply {

std::string StepReport::why_not() const {
  if (!outcome) return outcome.error().what;
  return *outcome ? (*outcome)->why : "";
}

std::string StepReport::why_not_here() const {
  const bool is_named = outcome && *outcome && !(*outcome)->named.empty();
  return is_named ? (*outcome)->named : why_not();
}

ExitCode Report::exit_code() const {
  switch (outcome) {
    case Outcome::kNotStarted:
      // Nothing could roll it back later, as the request wants.
      return failure && failure->code == ErrorCode::kUnsupported ? ExitCode::kRefused
                                                                 : ExitCode::kError;
    case Outcome::kRolledBack:
      return interrupted ? ExitCode::kInterrupted : ExitCode::kRolledBack;
    case Outcome::kRollbackIncomplete:
      return ExitCode::kRollbackIncomplete;
    case Outcome::kNothingToDo:
    case Outcome::kApplied: {
      const bool waits = std::ranges::any_of(steps, &StepReport::waits);
      const auto code = worse(left ? left->status() : ExitCode::kDone,
                              waits ? ExitCode::kWaiting : ExitCode::kDone);
      return failure ? worse(code, ExitCode::kError) : code;
    }
  }
  return ExitCode::kError;
}

}  // namespace spark::apply
