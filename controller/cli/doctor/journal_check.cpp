#include "apply/recovery.hpp"
#include "base/moment.hpp"
#include "cli/doctor/checks.hpp"
#include "diagnosis/kinds.hpp"
#include "state/journal.hpp"

namespace spark::cli {
namespace {

Finding observe_journal(host::Host& host) {
  const auto open = apply::find_open_journal(host.files);
  if (!open) {
    return {"journal",
            Severity::kPrevents,
            open.error().what,
            "`sudo mv` that file to /root, and look at `sudo spark-reconcile plan`",
            {problem_named(diagnosis::kUnfinished, gate::Detail::kUnread)}};
  }
  if (!*open) {
    return {"journal", Severity::kGood, "no apply is open", ""};
  }
  const auto [what, remedy] = apply::unfinished(
      **open, apply::journal_state_of(host.files, **open, now(), state::boot_id(host)));
  auto problem = problem_named(diagnosis::kUnfinished);
  problem.found.id = diagnosis::kUnfinishedId;
  return {"journal", Severity::kPrevents, what, remedy, {std::move(problem)}};
}

}  // namespace

Findings check_journal(const Command& command) { return {observe_journal(command.host)}; }

}  // namespace spark::cli
