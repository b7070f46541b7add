#include "daemon/reconcile/open_journal.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apply/recovery.hpp"
#include "protocol/paths.hpp"
#include "state/journal.hpp"

namespace spark::daemon {
namespace {

void roll_back_overdue(host::Host& host, const state::Journal& journal,
                       apply::JournalState journal_state, Pass& pass) {
  const auto lock = host.files.lock(protocol::kLockFile);
  // The timer may have been quicker, and another apply begun since.
  const auto still = lock ? apply::find_open_journal(host.files) : std::unexpected(lock.error());
  if (!still || !*still || (*still)->id != journal.id) {
    pass.outcome.again_in = kAfterBusy;
    return;
  }
  pass.outcome.changed = true;
  const auto report = apply::roll_back_open(host, journal, apply::TransactionObserver{},
                                            apply::outcome_of_rollback(journal_state));
  if (report.outcome != apply::Report::Outcome::kRolledBack) {
    pass.error = fmt::format(
        "{} is not rolled back: {}", apply::describe(journal),
        report.failure ? report.failure->what : fmt::format("{}", fmt::join(report.differs, ", ")));
  } else if (!report.taken_along.empty()) {
    pass.error =
        fmt::format("{} is rolled back, but the kernel removed with it what was not ours: {}",
                    apply::describe(journal), fmt::join(report.taken_along, ", "));
  }
  if (report.unnoted) pass.error = report.unnoted->what;
}

}  // namespace

void OpenJournal::look(host::Host& host, Pass& pass) {
  const auto& now = pass.start;
  const auto open = apply::find_open_journal(host.files);
  if (!open) {
    pass.error = open.error().what;
    return;
  }
  const auto& journal = *open;
  const auto boot = state::boot_id(host);
  const auto journal_state =
      journal ? std::optional(apply::journal_state_of(host.files, *journal, now, boot))
              : std::nullopt;
  if (journal_state == apply::JournalState::kPending) {
    is_pending_ = true;
    pass.found.paused =
        state::Paused{.since = journal->began,
                      .until = later(now, journal->left(now, boot)),
                      .reason = apply::describe(*journal) + " waits for its confirmation",
                      .by = journal->request.by,
                      .change_id = journal->request.change_id};
    return;
  }
  pass.happened.has_no_journal = !journal;
  pass.happened.confirmed = std::exchange(is_pending_, false);
  if (journal_state && apply::has_to_go(*journal_state)) {
    roll_back_overdue(host, *journal, *journal_state, pass);
  }
}

void OpenJournal::look_again(host::Host& host, Pass& pass) const {
  if (pass.happened.has_no_journal || is_pending_) return;
  // What keeps the journal from being read is an error of the pass already.
  const auto is_locked = [&host] {
    const auto lock = host.files.lock(protocol::kLockFile);
    return !lock && lock.error().code == ErrorCode::kBusy;
  };
  pass.found.unfinished =
      apply::find_unfinished(host, pass.start, is_locked).value_or(std::nullopt);
}

}  // namespace spark::daemon
