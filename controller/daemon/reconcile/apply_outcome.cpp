#include "daemon/reconcile/apply_outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spark::daemon {

bool holds(const apply::Report& report) {
  return report.outcome == apply::Report::Outcome::kApplied ||
         report.outcome == apply::Report::Outcome::kNothingToDo;
}

std::string what_failed(const apply::Report& report) {
  const auto failure = report.failure ? report.failure->what : std::string("it failed");
  return report.outcome == apply::Report::Outcome::kRollbackIncomplete
             ? fmt::format("{}; the rollback is incomplete: {}", failure,
                           fmt::join(report.differs, ", "))
             : failure;
}

}  // namespace spark::daemon
