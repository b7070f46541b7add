#include "cli/doctor/journal_check.hpp"

#include "apply/recovery.hpp"
#include "base/moment.hpp"
#include "state/journal.hpp"

namespace spark::cli {
namespace {

Finding observe_journal(host::Host& host) {
  const auto open = apply::find_open_journal(host.files);
  if (!open) {
    return {"journal", Severity::kPrevents, open.error().what,
            "`sudo mv` that file to /root, and look at `sudo spark-reconcile plan`"};
  }
  if (!*open) {
    return {"journal", Severity::kGood, "no apply is open", ""};
  }
  const auto what = apply::describe(**open);
  switch (apply::journal_state_of(host.files, **open, now(), state::boot_id(host))) {
    case apply::JournalState::kPending:
      return {"journal", Severity::kPrevents, what + " waits for its confirmation",
              "`spark-reconcile confirm` keeps it, `spark-reconcile rollback` rolls it back"};
    case apply::JournalState::kOverdue:
      return {"journal", Severity::kPrevents,
              what + " was not confirmed in time, and is not rolled back yet",
              "`spark-reconcile rollback`"};
    case apply::JournalState::kRolledBack:
      return {"journal", Severity::kPrevents,
              what + " was rolled back, and its journal is still there",
              "`spark-reconcile rollback` removes it"};
    case apply::JournalState::kInterrupted:
      break;
  }
  return {"journal", Severity::kPrevents, what + " was interrupted",
          "`spark-reconcile apply` finishes it, `spark-reconcile rollback` rolls it back"};
}

}  // namespace

Findings check_journal(const Command& command) { return {observe_journal(command.host)}; }

}  // namespace spark::cli
